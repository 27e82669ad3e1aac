"""Rules come through one door; what does not fulfil the contract is an error that names file and reason."""

import sys
from pathlib import Path

import pytest

from sessionlens import loader
from sessionlens.cli.rules_new import _SKELETON
from sessionlens.loader import LoadError, OptionError, UnknownRule

SHIPPED = ("empty-message-after-timeout", "unacknowledged-long-running-restart", "unverified-production-edit")


def a_rule(folder: Path, slug: str = "short-limit", **changes: str) -> Path:
    text = _SKELETON.format(slug=slug, name="ShortLimit")
    before, _, after = text.partition('        Example(\n            "fill in')
    text = before + after.partition("        ),\n")[2]
    for change in changes.values():
        old, new = change.split("=>", 1)
        assert old in text
        text = text.replace(old, new)
    file = folder / f"{slug.replace('-', '_')}.py"
    file.write_text(text, encoding="utf-8")
    return file


def problems(folder: Path) -> str:
    with pytest.raises(LoadError) as error:
        loader.classes([folder])
    return str(error.value)


def test_shipped_rules_are_found_in_order_of_names():
    assert [slug for slug in loader.classes() if slug in SHIPPED] == list(SHIPPED)
    assert list(loader.classes()) == sorted(loader.classes())


def test_a_folder_adds_its_rules_and_skips_helpers(tmp_path: Path):
    a_rule(tmp_path)
    (tmp_path / "_helper.py").write_text("raise RuntimeError('never imported')", encoding="utf-8")
    assert set(loader.classes([tmp_path])) == {*loader.classes(), "short-limit"}


def test_two_folders_may_have_files_of_one_name_but_not_one_slug(tmp_path: Path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        a_rule(tmp_path / name)
    with pytest.raises(LoadError, match="already has a rule short-limit"):
        loader.classes([tmp_path / "one", tmp_path / "two"])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("slug = SLUG=>slug = 'other-name'", "slug is 'other-name', expected 'short-limit'"),
        ('severity = "low"=>severity = "awful"', "severity is 'awful'; known are critical, high"),
        ('since = "0.1"=>since = ""', "since is missing"),
        ("@dataclass(frozen=True, kw_only=True)=>@dataclass(kw_only=True)", "frozen"),
        ("    ## Facts\n=>    ## Fakts\n", "nothing under the heading '## Facts'"),
        ('flag=SLUG, facts={"limit_ms": 10_000}=>exit=0', "no example is flagged"),
        ("limit=600, times_out=True=>limit=5, times_out=True, flag=SLUG", "no example is clean"),
        ("least_s: float = 60.0=>least_s: float", "option least_s has no default"),
        ("a build that had long enough=>ten seconds for a build", "two examples are called"),
        ("def check(=>def cheque(", "it has no check method"),
        ("from sessionlens.rule=>from sessionlens.role", "ModuleNotFoundError"),
        ("class ShortLimit(Rule):=>class ShortLimit(Rule:", "short_limit.py:10: syntax error"),
        (
            "(frozen=True, kw_only=True)\nclass=>(frozen=True, kw_only=True, wrong=1)\nclass",
            "short_limit.py:9: TypeError",
        ),
    ],
)
def test_a_broken_rule_names_file_and_reason(tmp_path: Path, change: str, reason: str):
    file = a_rule(tmp_path, change=change)
    text = problems(tmp_path)
    assert text.startswith(file.as_posix())
    assert reason in text


def test_every_problem_is_told_at_once(tmp_path: Path):
    a_rule(tmp_path, change='severity = "low"=>severity = "awful"')
    (tmp_path / "broken.py").write_text("1 +", encoding="utf-8")
    (tmp_path / "empty.py").write_text("", encoding="utf-8")
    text = problems(tmp_path)
    assert len(text.splitlines()) == 3
    assert "this one defines none" in text


def test_a_rule_that_failed_can_be_mended_and_loaded(tmp_path: Path):
    file = a_rule(tmp_path, change="class ShortLimit(Rule):=>class ShortLimit(Rule:")
    problems(tmp_path)
    file.unlink()
    a_rule(tmp_path)
    assert "short-limit" in loader.classes([tmp_path])


def test_no_folder_and_an_empty_folder_are_errors(tmp_path: Path):
    assert "no folder" in problems(tmp_path / "nowhere")
    assert "holds no rule file" in problems(tmp_path)


def test_following_up_on_a_rule_that_is_not_there(tmp_path: Path):
    a_rule(
        tmp_path,
        one="class ShortLimit(Rule)=>class ShortLimit(FollowUp)",
        two="Iterator, Rule,=>FollowUp, Iterator,",
        three="def check(self, graph: SessionGraph)=>def check_after(self, graph: SessionGraph, earlier)",
        four="slug = SLUG=>slug = SLUG; after = ('nobody',)",
    )
    assert "follows up on nobody, which is no rule" in problems(tmp_path)


def test_installed_packages_add_rules_by_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    a_rule(tmp_path)
    info = tmp_path / "team_rules-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: team-rules\nVersion: 1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[sessionlens.rules]\nteam = short_limit\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "short-limit" in loader.classes()
    (info / "entry_points.txt").write_text("[sessionlens.rules]\nteam = not_there\n", encoding="utf-8")
    with pytest.raises(LoadError, match=r"not_there \(entry point team\)"):
        loader.classes()
    sys.modules.pop("short_limit", None)


def test_selecting():
    # Rules that follow up on others would bring those along.
    known = {slug: rule for slug, rule in loader.classes().items() if not rule.after}
    first, *rest = known
    assert [rule.slug for rule in loader.select(known, only=[first]).rules] == [first]
    assert [rule.slug for rule in loader.select(known, ignore=[first]).rules] == rest
    with pytest.raises(UnknownRule, match=r"no rule is called nobody; there are .*empty-message"):
        loader.select(known, only=["nobody"])


def test_a_rule_that_others_need_runs_unreported(tmp_path: Path):
    a_rule(
        tmp_path,
        one="class ShortLimit(Rule)=>class ShortLimit(FollowUp)",
        two="Iterator, Rule,=>FollowUp, Iterator,",
        three="def check(self, graph: SessionGraph)=>def check_after(self, graph: SessionGraph, earlier)",
        four=f"slug = SLUG=>slug = SLUG; after = ('{SHIPPED[0]}',)",
    )
    chosen = loader.select(loader.classes([tmp_path]), only=["short-limit"])
    assert [rule.slug for rule in chosen.rules] == [SHIPPED[0], "short-limit"]
    assert chosen.unreported == {SHIPPED[0]}


def test_options_are_checked_by_name_and_type(tmp_path: Path):
    a_rule(tmp_path)
    rule = loader.classes([tmp_path])["short-limit"]
    assert loader.with_options(rule, {"least_s": 5}).least_s == 5.0  # type: ignore[attr-defined]
    with pytest.raises(OptionError, match=r"short-limit\.most_s: unknown option; its options are least_s"):
        loader.with_options(rule, {"most_s": 5})
    with pytest.raises(OptionError, match="Expected `float`, got `str`"):
        loader.with_options(rule, {"least_s": "five"})
