from hypothesis import given, settings
from hypothesis import strategies as st

from sessionlens import language
from sessionlens.language import split


def texts(text: str) -> list[str]:
    return [text[piece.start : piece.end] for piece in split.pieces(text)]


def kinds(text: str) -> list[str]:
    return [piece.kind for piece in split.pieces(text)]


def test_an_empty_text_is_one_empty_sentence() -> None:
    for text in ("", "  \n\t "):
        reading = language.read(text)
        assert [(one.text, one.span, one.acts) for one in reading.sentences] == [("", (0, 0), ())]


def test_markdown() -> None:
    text = (
        "# Restart\n\nThe unit is up.\nIt took 3.5 s, e.g. on gpu7.\n\n- first\n- [x] second\n"
        "```\nIt failed.\n```\n> it timed out\n\n| host | state |\n|---|---|\n| a | running |\n"
    )
    assert list(zip(kinds(text), texts(text), strict=True)) == [
        ("heading", "# Restart"), ("prose", "The unit is up."), ("prose", "It took 3.5 s, e.g. on gpu7."),
        ("item", "- first"), ("item", "- [x] second"), ("code", "```\nIt failed.\n```"), ("quote", "> it timed out"),
        ("row", "| host | state |"), ("row", "| a | running |"),
    ]  # fmt: skip


def test_dots_that_end_nothing() -> None:
    assert texts(
        "See docs/a.md and nginx.conf v1.2.3 (approx. 4 GB), z. B. hier. Then wait... maybe more."
    ) == [
        "See docs/a.md and nginx.conf v1.2.3 (approx. 4 GB), z. B. hier.",
        "Then wait... maybe more.",
    ]


def test_cjk_and_emoji() -> None:
    assert texts("重启了。现在正常！下一步呢？") == ["重启了。", "现在正常！", "下一步呢？"]
    assert texts("✅ nginx is up ❌ redis is down") == ["✅ nginx is up", "❌ redis is down"]
    assert texts("Done! ✅") == ["Done! ✅"]
    assert texts("✅ База створена") == ["✅ База створена"]


def test_wrapped_lines_stay_one_sentence_and_short_ones_do_not() -> None:
    wrapped = "The restart of the inference server on the second host did not\nfinish within the limit."
    assert texts(wrapped) == [wrapped]
    assert texts("restarted nginx\nall good now") == ["restarted nginx", "all good now"]


def test_an_open_fence_reaches_to_the_end() -> None:
    assert kinds("ok\n```sh\nit timed out") == ["prose", "code"]


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab .!?…。`>#|-*\n✅İé超'\"(),:"), max_size=120))
def test_places_are_true_ordered_and_nothing_but_space_is_lost(text: str) -> None:
    reading = language.read(text)
    at = 0
    for sentence in reading.sentences:
        start, end = sentence.span
        assert at <= start <= end
        assert text[start:end] == sentence.text
        for act in sentence.acts:
            assert start <= act.span[0] <= act.span[1] <= end
        at = end
    kept = "".join(one.text for one in reading.sentences)
    lost = [char for char in text if char.isalpha() and char not in kept]
    assert lost == []
