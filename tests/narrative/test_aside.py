"""Good conduct and signals of no weight are told apart from the stories, and never as faults."""

from __future__ import annotations

import io
from types import ModuleType

from sessionlens import loader
from sessionlens.engine import audit
from sessionlens.examples import Example, asks, bash, nothing, says
from sessionlens.narrative import tell
from sessionlens.report import html, markdown, review, text

RESTART = "ssh root@web1 'systemctl restart {}'"


def judged():
    session = Example(
        "a restart that is told, one that is not",
        asks("restart billing"),
        bash(RESTART.format("billing"), limit=15, times_out=True),
        says("The restart was cut off after 15 seconds; its state is not known."),
        asks(""),
        bash("make", interrupted=True),
        asks("then cache"),
        bash(RESTART.format("cache"), limit=15, times_out=True),
        nothing(),
    ).build()[0]
    return audit(session, rules=[rule() for rule in loader.classes().values()])


def test_only_faults_make_chapters(made: ModuleType):
    result = judged()
    kinds = {finding.kind for finding in result.findings}
    assert kinds == {"fault", "good", "signal"}
    narrative = tell(result)
    assert {finding.kind for chapter in narrative.chapters for finding in chapter.findings} == {"fault"}
    told = {finding.fingerprint for chapter in narrative.chapters for finding in chapter.findings}
    aside = {finding.fingerprint for finding in narrative.aside}
    assert not told & aside
    assert told | aside == {finding.fingerprint for finding in result.findings}
    assert {"acknowledged-timeout", "user-interrupt", "empty-user-message"} <= {
        one.rule for one in narrative.aside
    }


def test_every_form_has_them_folded_or_at_the_end():
    result = judged()
    narrative = tell(result)
    for writer in (markdown, text):
        out = io.StringIO()
        writer.render(narrative, result, out)
        written = out.getvalue()
        assert "Handled well, and signals" in written
        assert written.index("Handled well, and signals") > written.lower().index("open operations")
    out = io.StringIO()
    review.render(narrative, result, out)
    well = out.getvalue().partition("## What went well")[2].partition("## What went wrong")[0]
    assert "Told the person that the restart of billing on web1 was cut off" in well
    assert "The person stopped" not in well


def test_the_page_folds_them():
    result = judged()
    out = io.StringIO()
    html.render(tell(result), result, out)
    page = out.getvalue()
    section = page.partition('<section id="aside"')[2].partition("</section>")[0]
    assert "Handled well: " in section
    assert "Signals: " in section
    assert section.count("<details") == 2
    assert "<details open" not in section
    assert section.count('class="finding"') == len(tell(result).aside)


def test_a_session_without_them_has_no_such_part(made: ModuleType):
    narrative = tell(made.judged(made.incident()))
    assert narrative.aside == ()
    out = io.StringIO()
    markdown.render(narrative, made.judged(made.incident()), out)
    assert "Handled well" not in out.getvalue()
