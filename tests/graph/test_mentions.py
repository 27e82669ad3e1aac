"""Where prose names a thing: as a word of its own, also in scripts that put no space between words."""

import pytest

from sessionlens.graph.mentions import has_word


@pytest.mark.parametrize(
    "text",
    [
        "web2 is up",
        "on web2.",
        "(web2)",
        "web2はまだです",
        "已重启web2。",
        "web2가 실행 중",
        "der web2-neustart",
    ],
)
def test_named(text: str) -> None:
    assert has_word(text, "web2")


@pytest.mark.parametrize("text", ["web21 is up", "myweb2", "web2-old is up", "ιweb2", "web2ы", "web2x は"])
def test_a_part_of_another_name(text: str) -> None:
    assert not has_word(text, "web2")
