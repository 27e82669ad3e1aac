"""Titles of chapters and the headline say of a target only what was done to it, in words that read as English."""

from __future__ import annotations

import pytest

from sessionlens import loader
from sessionlens.engine import Audit, audit
from sessionlens.examples import Example, Step, asks, bash, says
from sessionlens.narrative import chapters, tell

RULES = loader.classes()
DUMP = "ssh root@db1 'pg_dump billing > /var/backups/billing.sql'"
LOOK = "ssh root@db1 'ls -la /var/backups/billing.sql'"
SIZE = "-rw-r--r-- 1 root root 41234567 Nov 30 09:00 /var/backups/billing.sql"


def judged(*steps: Step) -> Audit:
    return audit(Example("made", *steps).build()[0], rules=[rule() for rule in RULES.values()])


def test_every_rule_that_finds_faults_has_words_for_a_title():
    told_otherwise = {
        "empty-message-after-timeout",
        "unverified-production-edit",
        "unacknowledged-long-running-restart",
    }
    faults = {
        flag.rule
        for rule in RULES.values()
        for example in rule.examples
        for flag in example.flags()
        if flag.kind == "fault"
    }
    assert faults
    assert faults - told_otherwise <= set(chapters._SPOKEN)
    assert set(chapters._SPOKEN) <= set(RULES)


def test_no_slug_is_pasted_into_a_title():
    result = judged(
        asks("restart billing"),
        bash("ssh root@web1 'systemctl restart billing'", limit=15, times_out=True),
        bash("ssh root@web1 'rm -rf /var/lib/billing'"),
        says("Ready."),
    )
    assert "destructive-without-confirmation" in {finding.rule for finding in result.findings}
    titles = [chapter.title for chapter in tell(result).chapters]
    assert any("something destroyed without confirmation" in title for title in titles)
    assert not any("a destructive without" in title for title in titles)


def test_title_and_headline_name_the_target_that_it_was_done_to():
    result = judged(
        asks("back up billing and deploy"),
        bash(DUMP),
        bash(LOOK, output=SIZE),
        bash("ssh root@db1 'kubectl -n prod apply -f billing.yaml'", output="deployment.apps/billing configured"),
        bash("ssh root@db1 'systemctl restart billing'", limit=15, times_out=True),
        says("Deployed."),
    )  # fmt: skip
    narrative = tell(result)
    assert narrative.headline.text.startswith("The restart of `billing` on `db1` was cut off")
    assert narrative.chapters[0].title.startswith("Restart of `billing` on `db1` cut off")
    assert not any("billing.sql" in chapter.title for chapter in narrative.chapters)


def test_changes_of_two_targets_are_not_told_as_two_of_one():
    result = judged(
        asks("raise the workers"),
        bash("ssh root@db1 'sed -i s/1/2/ /etc/billing/a.conf && sed -i s/1/2/ /etc/billing/b.conf'"),
        says("Ready."),
    )
    headline = tell(result).headline.text
    assert "a.conf` on `db1` and `/etc/billing/b.conf` on `db1` were changed in production" in headline
    assert "no check of them followed" in headline


@pytest.mark.parametrize(
    "line",
    [
        DUMP,
        "ssh root@db1 'pg_dump -f /var/lib/copies/billing.sql billing'",
        "ssh root@db1 'mysqldump shop | gzip > /srv/dumps/shop.sql.gz'",
        "ssh root@db1 'mongodump --out /srv/copies/shop'",
        "ssh root@web1 'tar czf /root/etc.tgz /etc'",
    ],
)
def test_a_fresh_dump_is_no_edit(line: str):
    result = judged(asks("make a backup"), bash(line), bash(LOOK, output=SIZE), says("The dump is there."))
    assert not [finding for finding in result.findings if finding.rule == "unverified-production-edit"]
    assert "changed in production" not in tell(result).headline.text


def test_an_edit_beside_a_dump_stays_an_edit():
    line = "ssh root@db1 'pg_dump billing > /var/backups/b.sql && sed -i s/1/2/ /etc/billing.conf'"
    result = judged(asks("raise the workers"), bash(line), says("Ready."))
    assert [f.facts["effect"] for f in result.findings if f.rule == "unverified-production-edit"] == ["edit"]
    assert "/etc/billing.conf" in tell(result).headline.text
