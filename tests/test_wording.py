"""How titles name what a command acts on: by a name a person knows, never by a variable or a bare kind."""

import pytest

from sessionlens.shell import read
from sessionlens.wording import as_code, clipped, named, numbered

NAMES = {
    "ssh erp-prod 'crontab -u erp /tmp/new'": "the crontab of erp on erp-prod",
    "crontab new.txt": "the crontab",
    "ssh mx2 'sudo dnf -y --security upgrade'": "the software of the system on mx2",
    "ssh mx2 'sudo dnf -y install rspamd'": "rspamd on mx2",
    "alembic upgrade head": "the database behind alembic",
    "redis-cli -h redis-live del menu": "redis-live",
    "gh pr merge 418 --squash": "pull request #418",
    "aws ec2 deregister-image --image-id $ID": "the target of `aws ec2 deregister-image`",
    "for p in ami-1:snap-1; do aws ec2 delete-snapshot --snapshot-id ${p##*:}; done": "snap-1",
    "cat hosts | xargs -I{} ssh {} systemctl restart app": "app on a host that is not named",
    "ansible all -m service -a 'name=app state=restarted'": "app on all hosts",
    "ansible app1,app2,app3 -m reboot": "app3",
    "ssh sw-a3 'reload in 5'": "sw-a3",
    "git push": "the current branch",
    "git push origin main": "main",
    "cap production deploy": "`cap production deploy`",
    "printf '# all\n  # of prod\n[web]\nweb1\n' > h.txt; pssh -h h.txt 'systemctl restart app'": "app on web1",
    "f=/etc/app/a.conf; rm ${f%.conf}.old": "/etc/app/a.old",
}


@pytest.mark.parametrize("line", NAMES)
def test_what_a_command_acts_on_is_named(line: str) -> None:
    command = read(line)[-1]
    assert named(command.target, command.words) == NAMES[line]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Keep nginx up;", "Keep nginx up"),
        ("All are back:\n- web1\n- web2", "All are back"),
        ("  \n one, two", "one, two"),
        ("one two three four five six", "one two three…"),
        ("one two, three four five six", "one two, three…"),
        ("one two three, four five", "one two three…"),
        ("abcdefghijklmnopqrstuvwxyz", "abcdefghijklmno…"),
        ("", ""),
    ],
)
def test_a_piece_of_a_log_ends_between_words(text: str, shown: str) -> None:
    assert clipped(text, 16) == shown
    assert as_code(text, 16) == f"`{shown}`"


@pytest.mark.parametrize(
    ("several", "one"),
    [("sessions", "1 session"), ("calls cut off", "1 call cut off"), ("open operations", "1 open operation"),
     ("good conduct", "1 good conduct"), ("never closed", "1 never closed")],
)  # fmt: skip
def test_one_is_not_told_as_several(several: str, one: str) -> None:
    assert numbered(1, several) == one
    assert numbered(2_000, several) == f"2,000 {several}"
