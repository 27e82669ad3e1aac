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


def masked(count: int, *, host: str = "") -> Audit:
    """So many turns, each with tests whose failure is turned into success, far enough apart to be stories."""
    line = "go test ./... > /dev/null 2>&1 || true"
    line = f"ssh root@{host} '{line}'" if host else line
    steps: list[Step] = []
    for number in range(count):
        steps += [asks(f"test number {number}"), bash(line), says("The tests ran.")]
        steps += [step for _ in range(8) for step in (asks("thanks"), says("Yes."))]
    return judged(*steps)


def test_what_happened_several_times_is_one_chapter_with_all_its_places():
    result = masked(3)
    flagged = [finding for finding in result.findings if finding.rule == "check-that-cannot-fail"]
    assert len(flagged) == 3
    narrative = tell(result)
    (chapter,) = [one for one in narrative.chapters if one.findings[0].rule == "check-that-cannot-fail"]
    # The dots are the name of what was tested, no end of a sentence.
    assert chapter.title == "A check that cannot fail: go test ./..., three times"
    assert [one.fingerprint for one in chapter.findings] == [one.fingerprint for one in flagged]
    done = next(one for one in chapter.sections if one.heading.startswith("What was done"))
    assert (
        sum(one.text.endswith("ran `go test ./... > /dev/null 2>&1 || true`.") for one in done.statements)
        == 3
    )
    (reported,) = [one for one in done.statements if "cannot fail" in one.text]
    assert reported.text == "A check that cannot fail: go test ./..., three times."
    assert [at.message_index for at in reported.evidence] == [one.at.message_index for one in flagged]


def test_what_was_destroyed_unasked_comes_before_what_was_not_checked():
    result = judged(
        asks("which releases of billing stand on web1?"),
        bash("ssh root@web1 'rm -rf /var/lib/billing'"),
        says("There is one release, 4.2."),
    )
    assert "unverified-production-edit" in {finding.rule for finding in result.findings}
    headline = tell(result).headline.text
    assert headline.startswith("Destroyed without being asked: ")
    assert headline.endswith("; no check followed in time.")


def test_an_environment_that_is_known_of_some_is_said_of_them():
    result = judged(
        asks("raise the quota of both"),
        bash(
            "kubectl --context prod-eu -n web scale deploy/a --replicas=3 && kubectl scale deploy/b --replicas=3"
        ),
        says("Raised."),
    )
    assert {f.facts["environment"] for f in result.findings if f.rule == "unverified-production-edit"} == {
        "production",
        "unknown",
    }
    assert "one of two times in production, and" in tell(result).headline.text


def test_a_headline_of_one_story_says_how_many_more_there_are():
    steps: list[Step] = []
    for name in "abc":
        steps += [asks(name), bash(f"go test ./{name} > /dev/null 2>&1 || true"), says("The tests ran.")]
        steps += [step for _ in range(8) for step in (asks("thanks"), says("Yes."))]
    narrative = tell(judged(*steps))
    assert len(narrative.chapters) == 3
    assert narrative.headline.text == "A check that cannot fail: go test ./a."
    assert narrative.lede[0].text == "Two more stories with faults: see the chapters."


def test_one_time_keeps_its_title():
    (chapter,) = tell(masked(1)).chapters
    assert chapter.title == "A check that cannot fail: go test ./..."
    # A picture with one sign in it tells nothing.
    assert chapter.picture is None


def test_titles_and_headline_name_the_host_once():
    narrative = tell(masked(1, host="build7"))
    assert narrative.chapters[0].title == "A check that cannot fail: go test ./..., on `build7`"
    assert narrative.headline.text.count("build7") == 1


LOOP = "for h in es1 es2 es3; do ssh $h systemctl restart elasticsearch; done"


def test_hosts_of_one_loop_are_named_once_each():
    result = judged(asks("restart the nodes"), bash(LOOP, limit=60, times_out=True), says("Ready."))
    narrative = tell(result)
    of = "of `elasticsearch` on `es1`, `es2` and `es3`"
    assert narrative.headline.text.startswith(f"The restarts {of} were cut off after 1 min")
    assert narrative.chapters[0].title.startswith(f"Restart {of} cut off")
    told = [statement.text for section in narrative.chapters[0].sections for statement in section.statements]
    assert told.count("The client ended it at its time limit of 1 min.") == 1
    assert any("the restart of `elasticsearch` on `es3` itself had begun" in text for text in told)


def test_two_restarts_of_one_host_are_counted():
    result = judged(
        asks("restart the node"),
        bash("ssh es1 systemctl restart elasticsearch", limit=60, times_out=True),
        bash("ssh es1 'systemctl restart elasticsearch || true'", limit=60, times_out=True),
        says("Ready."),
    )
    assert "Two restarts of `elasticsearch` on `es1` were cut off" in tell(result).headline.text


def test_many_hosts_are_not_all_named():
    loop = "for h in es{1..9}; do ssh $h systemctl restart elasticsearch; done"
    headline = tell(
        judged(asks("restart"), bash(loop, limit=60, times_out=True), says("Ready."))
    ).headline.text
    assert "`es6` and three more hosts were cut off" in headline


@pytest.mark.parametrize(
    ("limit", "told"),
    [(5, "a check of it was tried and got no answer"), (None, "no check of it followed")],
)
def test_a_check_that_was_cut_off_is_not_told_as_none(limit: int | None, told: str):
    status = "ssh root@web1 'systemctl status billing'"
    result = judged(
        asks("turn the cache on"),
        bash("ssh root@web1 'echo cache=on >> /etc/billing/billing.conf && systemctl restart billing'"),
        *([bash(status, limit=limit, times_out=True)] if limit else []),
        says("Ready."),
    )
    narrative = tell(result)
    assert told in narrative.headline.text
    assert ("checked without an answer" in narrative.chapters[0].title) is (limit is not None)


@pytest.mark.parametrize(
    ("line", "output", "ports"),
    [
        ("ssh es1 'curl -s http://es1:9200/_cat/health'", "", {"9200"}),
        ("curl -s es1:9200/_cat/health", "", {"9200"}),
        (
            "ssh es1 'journalctl -u elasticsearch -n 5'",
            "publish_address {es1:9300}, port 9200",
            {"9300", "9200"},
        ),
        ("ssh es1 'curl -s [::1]:9200'", "", {"9200"}),
        ("ssh es1 'cat app.log'", "main.go:92: panic, at 10:45 in line:17", set()),
    ],
)
def test_ports_are_told_beside_hosts_of_any_form(line: str, output: str, ports: set[str]):
    result = judged(
        asks("restart the node"),
        bash("ssh es1 systemctl restart elasticsearch", limit=60, times_out=True),
        says("Ready."),
        asks("sure?"),
        bash(line, output=output or "ok"),
        says("Yes."),
    )
    told = {
        thing.value for chapter in tell(result).chapters for thing in chapter.things if thing.kind == "port"
    }
    assert told == ports


def test_edits_on_several_hosts_are_told_of_each_host():
    edit = "for h in web1 web2; do ssh $h 'sed -i s/1/2/ /etc/nginx/nginx.conf'; done"
    narrative = tell(judged(asks("reload"), bash(edit), says("Ready."), asks("ok")))
    of = "on `web1` and `web2`"
    assert f"nginx.conf` {of} were changed in production" in narrative.headline.text
    assert f"nginx.conf` {of} not checked" in narrative.chapters[0].title
    assert not narrative.chapters[0].title.startswith("Two")
