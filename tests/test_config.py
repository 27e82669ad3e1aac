"""``sessionlens.toml`` is found upwards; an error names file and key."""

import re
from pathlib import Path

import pytest

from sessionlens import config
from sessionlens.config import ConfigError

WHOLE = """
select = ["unverified-production-edit"]
ignore = []

[severity]
unverified-production-edit = "low"

[rules.unverified-production-edit]
some_option = 3

[environments.production]
hosts = ["10.1.*", "db-main"]
"""


def test_no_file_means_the_defaults(tmp_path: Path):
    assert config.load(start=tmp_path).select == ()


def test_found_upwards_from_the_current_folder(tmp_path: Path):
    (tmp_path / "sessionlens.toml").write_text(WHOLE, encoding="utf-8")
    (tmp_path / "a" / "b").mkdir(parents=True)
    found = config.load(start=tmp_path / "a" / "b")
    assert found.select == ("unverified-production-edit",)
    assert found.severity == {"unverified-production-edit": "low"}
    assert found.rules == {"unverified-production-edit": {"some_option": 3}}
    assert found.environments.production.hosts == ("10.1.*", "db-main")


def test_the_nearest_file_wins(tmp_path: Path):
    (tmp_path / "a").mkdir()
    (tmp_path / "sessionlens.toml").write_text('ignore = ["far"]', encoding="utf-8")
    (tmp_path / "a" / "sessionlens.toml").write_text('ignore = ["near"]', encoding="utf-8")
    assert config.load(start=tmp_path / "a").ignore == ("near",)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("selects = []", "sessionlens.toml: selects: unknown key; there are select, ignore"),
        ("select = 'x'", "sessionlens.toml: select: Expected `array`, got `str`"),
        ("[severity]\nx = 'awful'", "sessionlens.toml: severity.x: is 'awful'; known are critical"),
        ("[rules]\nx = 3", "sessionlens.toml: rules.x: Expected `object`, got `int`"),
        (
            "[environments.prod]\nhosts = []",
            "sessionlens.toml: environments.prod: unknown key; there are production",
        ),
        (
            "[environments.production]\nhost = []",
            "sessionlens.toml: environments.production.host: unknown key",
        ),
        (
            "[environments.production]\nhosts = [1]",
            "sessionlens.toml: environments.production.hosts: Expected `str`",
        ),
        ("select = [", "sessionlens.toml: is no TOML: "),
    ],
)
def test_errors_name_file_and_key(text: str, error: str):
    with pytest.raises(ConfigError, match=re.escape(error)):
        config.parse(text.encode())


def test_bytes_that_are_no_text_and_a_file_that_is_not_there(tmp_path: Path):
    with pytest.raises(ConfigError, match="is not UTF-8 at byte 1"):
        config.parse(b"a\xff")
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        config.load(tmp_path / "nowhere.toml")


def test_a_huge_file_is_refused(tmp_path: Path):
    (tmp_path / "sessionlens.toml").write_bytes(b"#" * (config.LARGEST + 1))
    with pytest.raises(ConfigError, match="larger than"):
        config.load(start=tmp_path)
