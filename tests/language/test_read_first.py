from sessionlens import language


def acts(text: str, role: str = "assistant") -> set[str]:
    return {act.act for act in language.read(text, role).acts()}  # type: ignore[arg-type]


def test_several_acts_of_one_sentence() -> None:
    text = "The restart timed out, but it may still be loading; I'll check the logs."
    assert acts(text) == {"acknowledges_cut_off", "reports_in_progress", "promises_check"}


def test_an_empty_text_is_one_empty_sentence() -> None:
    reading = language.read("")
    assert [sentence.text for sentence in reading.sentences] == [""]
    assert reading.acts() == ()
    assert acts("  \n", "user") == {"continuation"}


def test_a_row_of_dashes_before_text_takes_no_time() -> None:
    import time

    begun = time.perf_counter()
    language.read("-" * 4000 + " the build is done\n" + "|--" * 4000 + "x")
    assert time.perf_counter() - begun < 2
