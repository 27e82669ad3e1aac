"""What is kept between runs never changes a result, and a damaged or forbidden cache only costs time."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from sessionlens import cache, temporary
from sessionlens.language import lexicon


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SESSIONLENS_CACHE", str(tmp_path / "kept"))
    cache.folder.cache_clear()
    yield tmp_path / "kept"
    cache.folder.cache_clear()


def _made(result: Any) -> Any:
    def make() -> Any:
        make.calls += 1
        return result

    make.calls = 0
    return make


def test_the_same_sources_are_computed_once(kept: Path) -> None:
    make = _made({"a": (1, 2)})
    for _ in range(3):
        assert cache.value("x", ("one", b"two"), dict[str, tuple[int, ...]], make) == {"a": (1, 2)}
    assert make.calls == 1
    assert [path.stat().st_mode & 0o777 for path in kept.iterdir()] == [0o600]


@pytest.mark.parametrize("sources", [("on", b"etwo"), ("onetwo",), ("one", b"two", b"")])
def test_other_sources_are_another_entry_and_the_older_goes(
    kept: Path, sources: tuple[str | bytes, ...]
) -> None:
    cache.value("x", ("one", b"two"), int, _made(1))
    cache.value("x-y", ("one", b"two"), int, _made(3))
    assert cache.value("x", sources, int, _made(2)) == 2
    assert sorted(path.name.rpartition("-")[0] for path in kept.iterdir()) == ["x", "x-y"]


@pytest.mark.parametrize("damage", [b"", b"short", b"\x00" * 40, None])
def test_a_damaged_entry_is_computed_again(kept: Path, damage: bytes | None) -> None:
    cache.value("x", ("s",), list[int], _made([1, 2, 3]))
    (path,) = kept.iterdir()
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]) if damage is None else damage)
    assert cache.value("x", ("s",), list[int], _made([4])) == [4]
    assert cache.value("x", ("s",), list[int], _made([5])) == [4]


def test_an_entry_of_another_type_is_computed_again(kept: Path) -> None:
    cache.value("x", ("s",), list[int], _made([1]))
    assert cache.value("x", ("s",), dict[str, int], _made({"a": 1})) == {"a": 1}


def test_nothing_is_kept_where_it_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    for named in ("", str(blocked / "kept")):
        monkeypatch.setenv("SESSIONLENS_CACHE", named)
        cache.folder.cache_clear()
        assert cache.value("x", ("s",), int, _made(7)) == 7
        assert cache.Expressions("e").compile("a+").fullmatch("aa")
    cache.folder.cache_clear()
    assert blocked.read_text() == "no folder"


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {"HOME": "/home/a"}, "/home/a/.cache/sessionlens"),
        ("linux", {"HOME": "/home/a", "XDG_CACHE_HOME": "/c"}, "/c/sessionlens"),
        ("linux", {"HOME": "/home/a", "XDG_CACHE_HOME": "relative"}, None),
        ("darwin", {"HOME": "/Users/a"}, "/Users/a/Library/Caches/sessionlens"),
        ("win32", {}, None),
    ],
)
def test_the_folder_of_each_system(
    platform: str, environment: dict[str, str], expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SESSIONLENS_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, given in environment.items():
        monkeypatch.setenv(name, given)
    monkeypatch.setattr(sys, "platform", platform)
    cache.folder.cache_clear()
    found = cache.folder()
    cache.folder.cache_clear()
    assert found == (None if expected is None else Path(expected))


EXPRESSIONS = [
    r"(?P<a>x+)|(?i:Foo)\b(?<!z)[^\W\d_]{3,40}+",
    r"\bа[бв]{2}",
    r"a{2,4}?(?=b)(c|d)?(?:e(f))*",
    "",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_kept_expression_is_the_one_that_re_compiles(kept: Path, expression: str) -> None:
    expected = re.compile(expression)
    for _ in range(2):
        expressions = cache.Expressions("e")
        found = expressions.compile(expression)
        expressions.kept.keep()
        assert found == expected
        assert (found.pattern, found.flags, found.groups) == (expression, expected.flags, expected.groups)
        assert found.groupindex == expected.groupindex
        text = "xx fOo aab abcd aaabdeff абв"
        assert [m.span() for m in found.finditer(text)] == [m.span() for m in expected.finditer(text)]


def test_small_values_are_made_once_and_kept_together(kept: Path) -> None:
    made: list[str] = []

    def make(name: str) -> tuple[str, ...]:
        made.append(name)
        return (name, "one")

    for sources, times in (("one", 2), ("one", 2), ("two", 4)):
        values = cache.Kept("pieces", tuple[str, ...], lambda sources=sources: (sources,))
        for _ in range(2):
            assert [values.of(name, lambda name=name: make(name)) for name in "ab"] == [
                ("a", "one"),
                ("b", "one"),
            ]
        values.keep()
        assert len(made) == times
        assert len(list(kept.iterdir())) == 1


def test_a_named_expression_is_put_together_once(kept: Path) -> None:
    asked: list[str] = []

    def put_together() -> str:
        asked.append("a+")
        return "a+"

    for sources, times in ((("one",), 1), (("one",), 1), (("two",), 2)):
        expressions = cache.Expressions("e", sources)
        assert expressions.made("name", put_together).fullmatch("aaa")
        expressions.kept.keep()
        assert len(asked) == times


def test_code_that_is_none_is_compiled_as_usual(kept: Path) -> None:
    expressions = cache.Expressions("e")
    expressions.kept.values = {
        "0 a+": cache._Code("a+", 32, b"\xff\xff\xff\xff\x01\x00\x00\x00", 1, {}),
        "0 b+": cache._Code("b+", 32, b"odd", 1, {}),
    }
    assert expressions.compile("a+").fullmatch("aaa")
    assert expressions.compile("b+").fullmatch("b")


def test_a_wrong_expression_is_told_as_always(kept: Path) -> None:
    with pytest.raises(re.error):
        cache.Expressions("e").compile("(")


def test_a_lexicon_from_the_cache_is_the_lexicon(kept: Path) -> None:
    tables = ("assistant", "user", "scope", "shields")
    fresh, again = (lexicon.load.__wrapped__("de") for _ in range(2))
    for table in tables:
        first, second = fresh.rules(table), again.rules(table)
        assert first.all == second.all
        assert first._bits("der neustart ist nicht fertig") == second._bits("der neustart ist nicht fertig")
    assert any(path.name.startswith("rules-de-assistant") for path in kept.iterdir())


def test_what_a_run_prints_does_not_depend_on_the_cache(tmp_path: Path) -> None:
    texts = (
        "The restart was cut off by the limit; it may still be running.",
        "Ist alles wieder da?",
        "全部通过了。",
    )
    runs = []
    for place in (tmp_path / "kept", tmp_path / "kept", ""):
        env = {**os.environ, "SESSIONLENS_CACHE": str(place)}
        command = [sys.executable, "-m", "sessionlens", "explain", "text"]
        runs.append(
            [
                subprocess.run([*command, text], env=env, capture_output=True, check=True).stdout
                for text in texts
            ]
        )
    assert runs[0] == runs[1] == runs[2]
    assert any(path.name.startswith("patterns-en") for path in (tmp_path / "kept").iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_code_comes_only_from_where_nobody_else_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SESSIONLENS_CACHE", str(tmp_path / "kept"))
    cache.folder.cache_clear()
    cache.keep_code("c", ("s",), b"code")
    assert cache.code("c", ("s",)) == b"code"
    assert cache.code("c", ("t",)) is None
    (entry,) = (tmp_path / "kept").iterdir()
    for place in (entry, entry.parent):
        mode = place.stat().st_mode
        place.chmod(mode | 0o020)
        assert cache.code("c", ("s",)) is None
        place.chmod(mode)
    assert cache.code("c", ("s",)) == b"code"
    cache.folder.cache_clear()


def test_a_page_from_kept_templates_is_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sessionlens.report import html

    monkeypatch.setenv("SESSIONLENS_CACHE", str(tmp_path))
    cache.folder.cache_clear()
    made = [html.environment.__wrapped__().get_template("page.html") for _ in range(2)]
    assert any(one.name.startswith("template-page") for one in tmp_path.iterdir())
    codes = [one.root_render_func.__code__ for one in made]
    assert codes[0].co_code == codes[1].co_code
    assert codes[0].co_consts[:1] == codes[1].co_consts[:1]
    cache.folder.cache_clear()


@pytest.mark.skipif(sys.platform == "win32", reason="no such locks")
def test_what_a_killed_run_left_half_written_goes_and_what_another_one_writes_stays(kept: Path) -> None:
    kept.mkdir()
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert killed.returncode == -9
    (left,) = kept.iterdir()
    assert left.name.startswith(".")
    (kept / ".mine").write_bytes(b"of somebody else")
    with tempfile.NamedTemporaryFile(dir=kept, prefix=".", suffix=temporary.PART) as held:
        assert temporary.hold(held)
        # Every entry is there: nothing is to be written, and it is tidied up all the same.
        cache.value("x", ("s",), int, _made(1))
        assert not left.exists()
        assert Path(held.name).exists()
    assert sorted(path.name.partition("-")[0] for path in kept.iterdir()) == [".mine", "x"]


_KILLED = """
import os, signal
from sessionlens import cache, temporary
cache.os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
cache.value("x", ("other",), int, lambda: 1)
"""
