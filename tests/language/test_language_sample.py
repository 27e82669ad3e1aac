"""The sample of real messages: what is taken, that it is the same each time, and how it is judged."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    here = Path(__file__).parent
    spec = importlib.util.spec_from_file_location("language_sample", here / "sample.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["language_sample"] = module
    sys.path.insert(0, str(here))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(here))
    return module


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("corpus")
    for name in ("claude_code", "gemini_cli"):
        folder = top / "real" / name
        folder.mkdir(parents=True)
        for path in (ROOT / "fixtures" / name).glob("*.json*"):
            (folder / path.name).write_bytes(path.read_bytes())
    (top / "real" / "manifest.tsv").write_text("format\tfile\n", encoding="utf-8")
    return top


def test_prose_after_events_is_taken_the_same_each_time(script: ModuleType, corpus: Path) -> None:
    found = list(script.candidates(corpus / "real"))
    assert {one.kind for one in found} == {"cut_off", "failure", "change"}
    assert all(one.text.strip() for one in found)
    first, second = script.sample(found, 6, 1), script.sample(found, 6, 1)
    assert first == second
    assert len({one.id for one in first}) == len(first) == 6
    assert {one.kind for one in first} == {"cut_off", "failure", "change"}
    assert len(script.sample(found, 10_000, 1)) == len({one.text for one in found})


def test_judgements_are_counted(
    script: ModuleType,
    corpus: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = list(script.candidates(corpus / "real"))
    judged = tmp_path / "judged.jsonl"
    rows = [{"id": one.id, "acknowledges": True, "claims": False} for one in found] + [
        {"id": "gone", "acknowledges": True, "claims": True}
    ]
    judged.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    monkeypatch.setenv("SESSIONLENS_CORPUS", str(corpus))
    script.main(["--judged", str(judged), "--mistakes"])
    head, _, acknowledges, claims, *differ = capsys.readouterr().out.splitlines()
    known = len({one.id for one in found})
    assert head == f"{known} of {known + 1} judged messages found"
    name, tp, fp, fn, tn = acknowledges.split()[:5]
    assert (name, int(fp), int(tn)) == ("acknowledges", 0, 0)
    assert int(tp) + int(fn) == len(found)
    name, tp, wrong, missed, tn = claims.split()[:5]
    assert (name, int(tp), int(missed)) == ("claims", 0, 0)
    assert len(differ) == int(fn) + int(wrong)


def test_without_a_corpus_it_says_so(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SESSIONLENS_CORPUS", raising=False)
    with pytest.raises(SystemExit, match="SESSIONLENS_CORPUS"):
        script.main([])
