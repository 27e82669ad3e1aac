"""Checks that nearly speak of what was changed: each row with what the session shows before, in both directions.

A row: lines with their outputs, the change (its target), the check with its output, whether they are one
neighbourhood. ``None`` as the change takes the first change of the lines before.
"""

from __future__ import annotations

import pytest

from sessionlens import shell
from sessionlens.shell.command import CHANGES, Command, Outcome
from sessionlens.shell.outcome import judge
from sessionlens.targets import Neighbourhoods, Target

UNIT = """[Unit]
Description=billing
[Service]
WorkingDirectory=/srv/billing/current
ExecStart=/srv/billing/current/venv/bin/gunicorn app:wsgi -b 127.0.0.1:9100
"""
HOSTS = "127.0.0.1 localhost\n127.0.1.1 bastion\n10.1.2.3 web1.acme.io web1\n10.1.2.4 web2\n# 10.1.2.5 web1\n"
SSH = "Host web1 web1-old\n  HostName 10.1.2.3\nHost *.acme.io\n  User root\nHost jump\n  HostName 10.9.9.9\n"
INVENTORY = "[web]\nweb1 ansible_host=10.1.2.3 ansible_user=root\nweb2 ansible_host=10.1.2.4\n"
RESTART = "ssh root@10.1.2.3 'systemctl restart postgresql'"
READY = "ssh root@web1 pg_isready"
Shown = tuple[tuple[str, str], ...]

ROWS: list[tuple[Shown, str, str, bool]] = [
    # one host under several names
    ((("getent hosts web1", "10.1.2.3        web1.acme.io web1"),), RESTART, READY, True),
    ((("getent hosts web1", "10.1.2.3        web1.acme.io web1"),), RESTART, "ssh root@web1.acme.io pg_isready", True),
    ((("getent hosts web1", "10.1.2.3        web1.acme.io web1"),), RESTART, "ssh root@web2 pg_isready", False),
    ((("getent ahosts web1", "10.1.2.3        STREAM web1\n10.1.2.3        DGRAM  \n"),), RESTART, READY, True),
    ((("cat /etc/hosts", HOSTS),), RESTART, READY, True),
    ((("cat /etc/hosts", HOSTS),), "ssh 10.1.2.4 systemctl restart postgresql", READY, False),
    ((("ssh jump cat /etc/hosts", HOSTS),), RESTART, READY, True),
    ((("grep web /etc/hosts", "10.1.2.3 web1"),), RESTART, READY, True),
    ((("ssh root@10.1.2.3 hostname", "web1"),), RESTART, READY, True),
    ((("ssh root@10.1.2.3 hostname -f", "web1.acme.io"),), RESTART, READY, True),
    ((("ssh root@10.1.2.3 uname -n", "web1"),), RESTART, READY, True),
    ((("ssh root@web1 hostname -I", "10.1.2.3 172.17.0.1 fd00::1"),), RESTART, READY, True),
    ((("ssh root@10.1.2.3 hostname", "localhost"),), RESTART, "ssh root@localhost pg_isready", False),
    ((("ssh root@10.1.2.3 hostname", "ubuntu"), ("ssh root@10.1.2.4 hostname", "ubuntu")), RESTART, "ssh root@10.1.2.4 pg_isready", False),
    ((("hostname", "web1"),), RESTART, READY, False),
    ((("cat ~/.ssh/config", SSH),), RESTART, READY, True),
    ((("cat ~/.ssh/config", SSH),), RESTART, "ssh web1-old pg_isready", True),
    ((("cat ~/.ssh/config", SSH),), RESTART, "ssh jump pg_isready", False),
    ((("ssh -G web1", "user root\nhostname 10.1.2.3\nport 22"),), RESTART, READY, True),
    ((("cat inventory/hosts", INVENTORY),), RESTART, READY, True),
    ((("cat inventory/hosts", INVENTORY),), RESTART, "ssh web2 pg_isready", False),
    ((("dig +short web1.acme.io", "10.1.2.3"),), RESTART, "ssh web1.acme.io pg_isready", True),
    ((("dig +short web1.acme.io", "10.1.2.3\n10.1.2.9"),), RESTART, "ssh web1.acme.io pg_isready", False),
    ((("host web1.acme.io", "web1.acme.io has address 10.1.2.3"),), RESTART, "ssh web1.acme.io pg_isready", True),
    ((("ping -c1 web1", "PING web1 (10.1.2.3) 56(84) bytes of data.\n64 bytes from web1: icmp_seq=1"),), RESTART, READY, True),
    ((), RESTART, READY, False),
    # a list of units, whole, for one unit, by a pattern, searched for one
    ((), "ssh w systemctl restart backup", "ssh w systemctl list-units", True),
    ((), "ssh w systemctl restart backup", "ssh w systemctl list-units backup.service", True),
    ((), "ssh w systemctl restart backup", "ssh w systemctl list-units 'back*'", True),
    ((), "ssh w systemctl restart backup", "ssh w systemctl list-units 'mail*'", False),
    ((), "ssh w systemctl restart backup", "ssh w systemctl list-units mailer.service", False),
    ((), "ssh w systemctl restart backup", "ssh w 'systemctl list-timers --all | grep backup'", True),
    ((), "ssh w systemctl restart backup", "ssh w 'systemctl list-timers --all | grep mailer'", False),
    # a push to a platform's remote, and the platform's word on its app
    ((), "git push heroku main", "heroku releases -n 1", True),
    ((), "git push heroku main", "heroku ps -a shop", True),
    ((), "git push heroku-prod main", "heroku ps -a shop", True),
    ((), "git push https://git.heroku.com/shop.git main", "heroku ps -a shop", True),
    ((), "git push https://git.heroku.com/shop.git main", "heroku ps -a mailer", False),
    ((), "git push dokku main", "dokku ps:report shop", True),
    ((), "git push dokku@paas.acme.io:shop main", "dokku ps:report shop", True),
    ((), "git push origin main", "heroku releases -n 1", False),
    ((), "git push heroku main", "vercel ls", False),
    # a checkout, and what runs from it
    ((), "ssh w 'cd /srv/shop && git pull'", "ssh w systemctl is-active shop", True),
    ((), "ssh w 'cd /srv/shop && git pull'", "ssh w systemctl is-active mailer", False),
    ((), "ssh w 'cd /srv/shop && git pull'", "ssh v systemctl is-active shop", False),
    ((), "ssh w 'git -C /opt/shop/repo reset --hard origin/main'", "ssh w systemctl status shop", True),
    ((), "ssh w 'cd /var/www/shop.acme.io && git checkout v2.3'", "ssh w supervisorctl status shop.acme.io", True),
    ((), "ssh w 'cd /srv/shop && git pull'", "ssh w 'pm2 describe shop'", True),
    ((("ssh w cat /etc/systemd/system/bill-api.service", UNIT),), "ssh w 'cd /srv/billing/current && git pull'", "ssh w systemctl status bill-api", True),
    ((("ssh w systemctl cat bill-api", UNIT),), "ssh w 'cd /srv/billing/current && git pull'", "ssh w systemctl status bill-api", True),
    ((("ssh w cat /etc/systemd/system/bill-api.service", UNIT),), "ssh w 'cd /srv/billing/current && git pull'", "ssh w curl -s localhost:9100/health", True),
    ((("ssh w cat /etc/systemd/system/bill-api.service", UNIT),), "ssh w 'cd /srv/other && git pull'", "ssh w systemctl status bill-api", False),
    ((("ssh w 'cd /srv/shop && git pull && pm2 restart api'", "ok"),), "ssh w 'cd /srv/shop && git pull'", "ssh w 'pm2 describe api'", True),
    ((("ssh w 'cd /srv/shop && pm2 restart api'", "ok"),), "ssh w 'cd /srv/blog && git pull'", "ssh w 'pm2 describe api'", False),
    # a site and the folder that it is served from
    ((), "rsync -az dist/ deploy@www.acme.io:/var/www/html/", "curl -sI https://www.acme.io/", True),
    ((), "rsync -az dist/ deploy@www.acme.io:/var/www/html/", "curl -sI https://www.other.io/", False),
    ((), "rsync -az dist/ deploy@web5:/var/www/acme.io/", "curl -sI https://acme.io/", True),
    ((), "rsync -az dist/ deploy@web5:/var/www/acme/", "curl -sI https://www.acme.io/", True),
    ((), "rsync -az dist/ deploy@web5:/var/www/acme/", "curl -sI https://www.bcme.io/", False),
    ((), "rsync -az dist/ deploy@web5:/var/www/html/", "ssh web5 curl -sI http://localhost/", True),
    ((), "rsync -az dist/ deploy@web5:/var/www/html/", "ssh web5 curl -sI http://localhost:9090/", False),
    ((), "scp index.html deploy@www.acme.io:/usr/share/nginx/html/", "curl -s https://www.acme.io/index.html", True),
    ((), "scp app.conf root@www.acme.io:/etc/app/app.conf", "curl -s https://www.acme.io/", False),
    ((), "aws s3 sync dist s3://www.acme.io", "curl -sI https://www.acme.io/", True),
    ((), "aws s3 sync dist s3://acme-logs", "curl -sI https://www.acme.io/", False),
    # entries of fstab
    ((), "ssh e \"echo 'UUID=1a /data ext4 defaults 0 2' >> /etc/fstab\"", "ssh e df -h /data", True),
    ((), "ssh e \"echo 'UUID=1a /data ext4 defaults 0 2' >> /etc/fstab\"", "ssh e df -h", True),
    ((), "ssh e \"echo 'UUID=1a /data ext4 defaults 0 2' >> /etc/fstab\"", "ssh e df -h /home", False),
    ((), "ssh e \"echo 'UUID=1a /data ext4 defaults 0 2' >> /etc/fstab\"", "ssh e findmnt /data", True),
    ((), "ssh e \"sed -i s/noatime/relatime/ /etc/fstab\"", "ssh f df -h /data", False),
    # projects, objects, pipelines
    ((), "ssh w \"sed -i s/a/b/ /srv/shop/docker-compose.yml\"", "ssh w 'cd /srv/blog && docker compose ps'", False),
    ((), "ssh w \"sed -i s/a/b/ /srv/shop/docker-compose.yml\"", "ssh w 'cd /srv/shop && docker compose ps'", True),
    ((), "ssh w \"sed -i s/a/b/ /srv/shop/docker-compose.yml\"", "ssh w docker ps", True),
    ((("kubectl -n s apply -f cm.yaml", "configmap/api-config configured"),), "kubectl -n s apply -f cm.yaml", "kubectl -n s rollout status deploy/api", True),
    ((("kubectl -n s apply -f cm.yaml", "configmap/api-config configured"),), "kubectl -n s apply -f cm.yaml", "kubectl -n s rollout status deploy/web", False),
    ((), "git push origin main", "gh run watch 12 --exit-status", True),
    # names that begin alike, names in other places
    ((), "ssh w systemctl restart api", "ssh w systemctl status api-gateway", False),
    ((), "ssh w systemctl restart api@1", "ssh w systemctl status api@2", False),
    ((), "ssh w systemctl restart redis-server", "ssh w redis-cli ping", True),
    ((), "ssh w systemctl restart redis-server", "redis-cli -h x ping", False),
    ((), "ssh w systemctl restart php8.2-fpm", "ssh w systemctl status nginx", False),
    ((), "ssh w docker restart web", "ssh w docker logs --tail 5 web-cache", False),
    ((), "ssh w docker restart web", "ssh w docker ps", True),
    ((), "ssh w docker restart web", "docker ps", False),
    ((), "kubectl -n shop rollout restart deploy/api", "kubectl -n shop get pods -l app=web", False),
    ((), "kubectl -n shop rollout restart deploy/api", "kubectl -n shop get pod api-7d9c6b5f4-x2x4q", True),
    ((), "kubectl -n shop rollout restart deploy/api", "kubectl -n shop get pod api-gateway-7d9c6b5f4-x2x4q", False),
    ((), "kubectl -n shop rollout restart deploy/api", "kubectl -n blog rollout status deploy/api", False),
    ((), "kubectl --context a -n shop rollout restart deploy/api", "kubectl --context b -n shop rollout status deploy/api", False),
    ((), "helm upgrade api ./chart -n shop", "kubectl -n shop get pods", True),
    ((), "psql -h db1 -d shop -c 'update carts set a=1'", "psql -h db1 -d shop -c 'select count(*) from users'", False),
    ((), "psql -h db1 -d shop -c 'update carts set a=1'", "psql -h db2 -d shop -c 'select count(*) from carts'", False),
    ((), "psql -h db1 -d shop -c 'update carts set a=1'", "psql -h db1 -d shop -c 'select count(*) from carts'", True),
    ((), "ssh w \"sed -i s/a/b/ /etc/nginx/nginx.conf\"", "ssh w apachectl configtest", False),
    ((), "ssh w \"sed -i s/a/b/ /etc/nginx/nginx.conf\"", "ssh w nginx -t", True),
    ((), "ssh w \"sed -i s/a/b/ /etc/nginx/nginx.conf\"", "ssh w systemctl is-active nginx", True),
    ((), "ssh w \"sed -i s/a/b/ /etc/ssh/sshd_config\"", "ssh w sshd -t", True),
    # a name that /etc/hosts makes known, a folder of the search path, the space of a package cache
    ((), "echo '127.0.0.1 api.local db.local' | sudo tee -a /etc/hosts", "ping -c 1 api.local", True),
    ((), "echo '127.0.0.1 api.local db.local' | sudo tee -a /etc/hosts", "getent hosts db.local", True),
    ((), "echo '127.0.0.1 api.local db.local' | sudo tee -a /etc/hosts", "ping -c 1 web.local", False),
    ((), "echo 'export PATH=$PATH:/opt/tool/bin' | sudo tee -a /etc/profile", "which tool", True),
    ((), "echo 'export LANG=C' | sudo tee -a /etc/profile", "which tool", False),
    ((), "echo 'export PATH=$PATH:/opt/tool/bin' | ssh w 'sudo tee -a /etc/profile'", "which tool", False),
    ((), "ssh w apt-get clean", "ssh w df -h /etc", True),
    ((), "ssh w apt-get clean", "ssh v df -h /etc", False),
    ((), "ssh w apt-get install -y nginx", "ssh w df -h /etc", False),
]  # fmt: skip


@pytest.mark.parametrize(
    ("shown", "change", "check", "expected"), ROWS, ids=[f"{n}-{row[2][:50]}" for n, row in enumerate(ROWS)]
)
def test_near_misses(shown: Shown, change: str, check: str, expected: bool) -> None:
    known = Neighbourhoods()
    for line, output in (*shown, (change, ""), (check, "")):
        commands = shell.read(line)
        for command, outcome in zip(
            commands, judge(commands, output, exit=0, status="completed"), strict=True
        ):
            known.learn(command, outcome)
    changes = [
        command
        for command in shell.read(change)
        if command.effect in CHANGES and not command.restarts_in_effect
    ]
    changes = changes or [command for command in shell.read(change) if command.effect in CHANGES]
    checks = [command for command in shell.read(check) if command.effect in ("check", "read")]
    assert changes, f"no change in {change}"
    assert checks, f"no check in {check}"
    found = [known.match(one, other.target) for one in checks for other in changes]
    assert any(found) is expected, (found, [c.target for c in changes], [c.target for c in checks])


def test_a_file_of_many_hosts_stays_cheap() -> None:
    import time

    many = "\n".join(f"10.{n // 250}.0.{n % 250 + 1} node{n}.acme.io node{n}" for n in range(1500))
    known = Neighbourhoods()
    start = time.process_time()
    for line, output in (("cat /etc/hosts", many), (RESTART, ""), (READY, "")):
        commands = shell.read(line)
        for command, outcome in zip(
            commands, judge(commands, output, exit=0, status="completed"), strict=True
        ):
            known.learn(command, outcome)
    target = shell.read(RESTART)[0].target
    for _ in range(2000):
        known.match(shell.read(READY)[0], target)
    assert time.process_time() - start < 2


@pytest.mark.parametrize("piece", ["\n", "\t\n", "10.0.0.1 " + "a " * 100 + "\n", "Host a b\nHostName x\n", "WorkingDirectory=/srv/" + "a/" * 50 + "\n",
                                   "ExecStart=/srv/a/b --port 80\n", "UUID=1 ", "a.b=1\n"])  # fmt: skip
def test_hostile_files_stay_cheap(piece: str) -> None:
    import time

    text = (piece * (20_000 // len(piece) + 1))[:20_000]
    start = time.process_time()
    for name in (
        "/etc/fstab",
        "/etc/hosts",
        "~/.ssh/config",
        "/etc/systemd/system/a.service",
        "/etc/sysctl.d/x.conf",
    ):
        target = Target(kind="file", name=name, host="h")
        command = Command(words=("tee", name), effect="edit", target=target, writes=text)
        Neighbourhoods().learn(command, Outcome(content=text[:8000]))
    assert time.process_time() - start < 2


UP, GONE = "Up 3 minutes", "Exited (137) 2 minutes ago"
LISTS = [
    # change, list, its rows, what it shows of the change's target; ``None`` where it is what the whole list shows
    ("docker restart web", "docker ps", ("a1 web:1 Up 3 minutes web",), None),
    ("docker restart web", "docker ps", ("a1 db:1 Up 3 minutes db",), "bad"),
    ("docker restart web", "docker ps -n 1", ("a1 db:1 Up 3 minutes db",), "unclear"),
    ("docker restart web", "docker ps --format '{{.ID}} {{.Status}}'", ("a1 Up 3 minutes",), "unclear"),
    ("docker restart web", "docker ps -a", (f"a1 x {UP} web", f"a2 y {GONE} db"), "good"),
    ("docker restart db", "docker ps -a", (f"a1 x {UP} web", f"a2 y {GONE} db"), None),
    ("cd /srv/wiki && docker compose restart web", "docker ps", (f"a1 x {UP} wiki-db-1",), "bad"),
    ("cd /srv/wiki && docker compose restart web", "docker ps", (f"a1 x {UP} shop-db-1",), "unclear"),
    ("pm2 restart api", "pm2 list", ("│ 0 │ worker │ online │",), "bad"),
    ("pm2 restart api", "pm2 list", ("│ 0 │ worker │ errored │", "│ 1 │ api │ online │"), "good"),
    ("pm2 restart all", "pm2 list", ("│ 0 │ worker │ online │",), None),
]


@pytest.mark.parametrize(("change", "listing", "rows", "found"), LISTS)
def test_a_list_tells_of_each_target_what_its_row_shows(
    change: str, listing: str, rows: tuple[str, ...], found: str | None
) -> None:
    learned = Neighbourhoods()
    changed = shell.read(change)[-1]
    learned.learn(changed, Outcome())
    (asked,) = shell.read(listing)
    (outcome,) = judge((asked,), "\n".join(rows), exit=0, status="completed")
    match = learned.match(asked, changed.target, outcome)
    assert match is not None
    assert match.found == found
