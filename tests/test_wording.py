"""How titles name what a command acts on: by a name a person knows, never by a variable or a bare kind."""

import pytest

from sessionlens.shell import read
from sessionlens.wording import named

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
    "f=/etc/app/a.conf; rm ${f%.conf}.old": "/etc/app/a.old",
}


@pytest.mark.parametrize("line", NAMES)
def test_what_a_command_acts_on_is_named(line: str) -> None:
    command = read(line)[-1]
    assert named(command.target, command.words) == NAMES[line]
