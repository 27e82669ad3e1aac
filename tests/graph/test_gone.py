"""What looks at deleted things show: there no more, still there, on their way out, or nothing."""

from __future__ import annotations

from typing import Any

import pytest

from sessionlens.examples import Example, asks, bash, says
from sessionlens.graph.events import Ran
from sessionlens.graph.session_graph import SessionGraph

PS = "CONTAINER ID   IMAGE   COMMAND   CREATED   STATUS   PORTS   NAMES\n"
API = '1a2b3c4d5e6f   api:1   "x"   2 days ago   Up 2 days   80/tcp   api\n'
OLD = '1a2b3c4d5e6f   app:1   "x"   2 days ago   Up 2 days   80/tcp   old\n'
EXITED = '1a2b3c4d5e6f   app:1   "x"   2 days ago   Exited (137) 2 seconds ago      old\n'
DEPLOYMENTS = "NAME   READY   UP-TO-DATE   AVAILABLE   AGE\napi    3/3     3            3           40d\n"
DROP = "psql -h db1 -d shop -c 'DROP TABLE old'"
ROWS = "psql -h db1 -d shop -c 'DELETE FROM jobs WHERE state = 1'"
COUNT = "psql -h db1 -d shop -c 'select count(*) from jobs where state = 1'"
ITEM = "https://api.prod.internal/v1/items/7"

# deletion | look | output | exit | what it shows of the thing; None: nothing
ROWS_OF_LOOKS: list[tuple[str, str, str, int, str | None]] = [
    ("ssh web1 docker rm -f old", "ssh web1 docker ps -a", PS + OLD, 0, "bad"),
    ("ssh web1 docker rm -f old", "ssh web1 docker ps -a", PS + EXITED, 0, "bad"),
    ("ssh web1 docker rm -f old", "ssh web1 docker ps -a", PS + API, 0, "good"),
    ("ssh web1 docker rm -f old", "ssh web1 docker ps -a", PS, 0, "good"),
    ("ssh web1 docker rm -f old", "ssh web1 'docker ps -a | grep old'", "", 1, "good"),
    ("ssh web1 docker rm -f old", "ssh web1 'docker ps -a | grep old'", OLD, 0, "bad"),
    ("ssh web1 docker rm -f old", "ssh web1 'docker ps -a | grep api'", API, 0, None),
    ("ssh web1 docker rm -f old", "ssh web1 'docker ps -a | wc -l'", "3", 0, None),
    ("ssh web1 docker rm -f old", "ssh web1 docker ps -a --filter name=old", PS, 0, "good"),
    ("ssh web1 docker rm -f old", "ssh web2 docker ps -a", PS + OLD, 0, None),
    ("ssh web1 docker rm -f old", "ssh web1 docker inspect old", "[]\nError: No such object: old", 1, "good"),
    ("ssh web1 docker rm -f old", "ssh web1 docker volume ls", "DRIVER VOLUME NAME\nlocal data\n", 0, None),
    ("ssh web1 docker builder prune -af", "ssh web1 docker system df", "TYPE TOTAL ACTIVE SIZE\nImages 15 5 8.2GB", 0, None),
    ("git rm --cached old", "git status", "On branch main\nChanges to be committed:\n deleted: old", 0, None),
    ("ssh web1 docker volume rm old", "ssh web1 docker volume ls", "DRIVER VOLUME NAME\nlocal old\n", 0, "bad"),
    ("kubectl -n shop delete deployment old", "kubectl -n shop get deployments", DEPLOYMENTS, 0, "good"),
    ("kubectl -n shop delete deployment old", "kubectl -n shop get deploy", DEPLOYMENTS + "old 1/1 1 1 40d", 0, "bad"),
    ("kubectl -n shop delete deployment old", "kubectl -n ops get deploy", DEPLOYMENTS + "old 1/1 1 1 40d", 0, None),
    ("kubectl -n shop delete deployment old", "kubectl -n shop get services", "NAME TYPE\napi ClusterIP", 0, None),
    ("kubectl -n shop delete deployment old", "kubectl -n shop get deploy old", 'Error from server (NotFound): deployments.apps "old" not found', 1, "good"),
    ("kubectl -n shop delete deployment old", "kubectl -n shop get deploy old", 'Error from server (Forbidden): deployments.apps "old" is forbidden', 1, None),
    ("kubectl -n shop delete deployment old", "kubectl -n shop get deploy", "No resources found in shop namespace.", 0, "good"),
    ("kubectl delete ns old", "kubectl get ns", "NAME STATUS AGE\nold Terminating 90d", 0, "unclear"),
    ("kubectl delete ns old", "kubectl get ns", "NAME STATUS AGE\nold Active 90d", 0, "bad"),
    ("kubectl delete pod db-0", "kubectl get pods", "NAME READY STATUS RESTARTS AGE\ndb-0 1/1 Running 0 8s", 0, None),
    ("helm uninstall old -n shop", "helm list -n shop", "NAME NAMESPACE REVISION STATUS\nold shop 3 deployed", 0, "bad"),
    ("helm uninstall old -n shop", "helm status old -n shop", "Error: release: not found", 1, "good"),
    ("psql -h db1 -c 'DROP DATABASE old'", "psql -h db1 -l", " Name | Owner\n old | app\n(1 row)", 0, "bad"),
    ("psql -h db1 -c 'DROP DATABASE old'", "psql -h db1 -l", " Name | Owner\n shop | app\n(1 row)", 0, "good"),
    ("mysql -h db1 -e 'DROP DATABASE old'", "mysql -h db1 -e 'SHOW DATABASES'", "Database\nold\nmysql", 0, "bad"),
    (DROP, "psql -h db1 -d shop -c 'select count(*) from old'", 'ERROR:  relation "old" does not exist', 1, "good"),
    (DROP, "psql -h db1 -d shop -c 'select name from users'", " name\n------\n old\n(1 row)", 0, None),
    (DROP, "psql -h db1 -d shop -c '\\dt'", " public | old | table | app\n(1 row)", 0, "bad"),
    (ROWS, COUNT, " count\n-------\n     0\n(1 row)", 0, "good"),
    (ROWS, COUNT, " count\n-------\n    12\n(1 row)", 0, "bad"),
    (ROWS, "psql -h db1 -d shop -c 'select count(*) from jobs'", " count\n-------\n    12\n(1 row)", 0, None),
    ("mysql -h db1 -e \"DROP USER 'old'@'%'\"", "mysql -h db1 -e 'SELECT user FROM mysql.user'", "user\nroot\nold", 0, "bad"),
    ("mysql -h db1 -e \"DROP USER 'old'@'%'\"", "mysql -h db1 -e 'SELECT user FROM mysql.user'", "user\nroot", 0, "good"),
    ("mongosh mongodb://db1/shop --eval 'db.old.drop()'", "mongosh mongodb://db1/shop --eval 'db.getCollectionNames()'", "[ 'orders', 'old' ]", 0, "bad"),
    (DROP, "psql -h db1 -d other -c '\\dt'", " public | old | table | app\n(1 row)", 0, None),
    ("redis-cli -h c1 DEL session:42", "redis-cli -h c1 EXISTS session:42", "(integer) 0", 0, "good"),
    ("redis-cli -h c1 DEL session:42", "redis-cli -h c1 EXISTS session:42", "(integer) 1", 0, "bad"),
    ("redis-cli -h c1 DEL session:42", "redis-cli -h c1 GET session:43", "x", 0, None),
    ("ssh k1 'kafka-topics.sh --bootstrap-server b:9092 --delete --topic old'", "ssh k1 'kafka-topics.sh --bootstrap-server b:9092 --list'", "old\norders", 0, "bad"),
    ("ssh mq1 rabbitmqctl delete_queue old", "ssh mq1 rabbitmqctl list_queues", "name messages\norders 0\nold 12", 0, "bad"),
    ("ssh st1 zfs destroy -r tank/old", "ssh st1 zfs list", "NAME USED AVAIL\ntank 1T 2T\ntank/old 10G 2T", 0, "bad"),
    ("ssh st1 lvremove -f vg0/old", "ssh st1 lvs", "LV VG Attr LSize\ndata vg0 -wi 10g", 0, "good"),
    ("az vm delete -g prod -n old --yes", "az vm list -g prod -o table", "Name ResourceGroup\napi prod\nold prod", 0, "bad"),
    ("fly apps destroy old --yes", "fly apps list", "NAME OWNER STATUS\nold acme deployed", 0, "bad"),
    ("aws ec2 terminate-instances --instance-ids i-0abc123def", "aws ec2 describe-instances --instance-ids i-0abc123def --query x --output text", "shutting-down", 0, "unclear"),
    ("ssh web1 apt-get remove -y telnet", "ssh web1 which telnet", "/usr/bin/telnet", 0, "bad"),
    ("ssh web1 apt-get remove -y telnet", "ssh web1 dpkg -l telnet", "dpkg-query: no packages found matching telnet", 1, "good"),
    ("aws s3 rb s3://acme-old --force", "aws s3 ls", "2025-01-01 10:00:00 acme-old", 0, "bad"),
    ("aws s3 rb s3://acme-old --force", "aws s3 ls", "2025-01-01 10:00:00 acme-new", 0, "good"),
    ("aws s3 rm s3://acme/old/ --recursive", "aws s3 ls s3://acme/old/", "", 1, "good"),
    ("aws s3 rm s3://acme/old/ --recursive", "aws s3 ls s3://acme/old/", "2025-01-01 10:00:00 12 a.csv", 0, "bad"),
    ("aws s3 rm s3://acme/old/ --recursive", "aws s3 ls s3://acme/", "                           PRE new/", 0, "good"),
    ("aws rds delete-db-instance --db-instance-identifier old", "aws rds describe-db-instances --db-instance-identifier old", "An error occurred (DBInstanceNotFound) when calling the DescribeDBInstances operation: DBInstance old not found.", 254, "good"),
    ("aws rds delete-db-instance --db-instance-identifier old", "aws rds describe-db-instances --db-instance-identifier old", '{"DBInstanceIdentifier":"old","DBInstanceStatus":"deleting"}', 0, "unclear"),
    ("gcloud compute instances delete old", "gcloud compute instances list", "NAME ZONE STATUS\nold a RUNNING", 0, "bad"),
    ("gcloud compute instances delete old", "gcloud sql instances list", "NAME ZONE STATUS\nshop a RUNNABLE", 0, None),
    ("gcloud container clusters delete old --async", "gcloud container clusters list", "NAME LOCATION STATUS\nold eu RUNNING", 0, "unclear"),
    ("terraform destroy -target=aws_instance.old -auto-approve", "terraform state list", "aws_instance.api\naws_instance.old", 0, "bad"),
    ("terraform destroy -target=aws_instance.old -auto-approve", "terraform state list", "aws_instance.api", 0, "good"),
    ("ssh kvm1 virsh undefine old", "ssh kvm1 virsh list --all", " Id   Name   State\n--------\n -    old    shut off", 0, "bad"),
    ("ssh web1 rm /etc/systemd/system/old.service", "ssh web1 systemctl list-units --all", "old.service loaded active running Old", 0, "bad"),
    ("ssh web1 rm /etc/systemd/system/old.service", "ssh web1 systemctl status old", "Unit old.service could not be found.", 4, "good"),
    ("ssh web1 rm -rf /srv/old", "ssh web1 ls -d /srv/old", "ls: cannot access '/srv/old': No such file or directory", 2, "good"),
    ("ssh web1 rm -rf /srv/old", "ssh web1 ls -d /srv/old", "ls: Zugriff auf '/srv/old' nicht möglich: Datei oder Verzeichnis nicht gefunden", 2, "good"),
    ("ssh web1 rm -rf /srv/old", "ssh web1 ls -d /srv/old", "/srv/old", 0, "bad"),
    ("ssh web1 rm -rf /srv/old", "ssh web1 ls /srv", "app\nold\n", 0, "bad"),
    ("ssh web1 rm -rf /srv/old", "ssh web1 ls /srv", "app\nold-2\nold.txt\n", 0, "good"),
    ("ssh web1 rm -rf /srv/old", "ssh web1 ls -l /srv", "total 4\ndrwxr-xr-x 2 a a 4096 Jan 5 09:00 app", 0, "good"),
    ("ssh web1 rm -rf /srv/old", "ssh web1 ls -lh /srv", "total 4\ndrwxr-xr-x 2 a a 4096 Jan 5 09:00 old", 0, "bad"),
    ("ssh web1 rm -rf /srv/d/old", "ssh web1 find /srv", "/srv\n/srv/d\n/srv/d/new", 0, "good"),
    ("ssh web1 rm -rf /srv/d/old", "ssh web1 find /srv", "/srv\n/srv/d\n/srv/d/old", 0, "bad"),
    ("ssh web1 rm -rf /srv/d/old", "ssh web1 find /srv -mtime +3", "/srv/e", 0, None),
    ("kubectl delete deploy old", "kubectl get deploy -l app=api", DEPLOYMENTS, 0, None),
    ("ssh web1 rm -rf /srv/old", "ssh web1 ls -d /srv", "/srv", 0, None),
    ("ssh web1 rm -rf /srv/old", "ssh web1 'ls /srv | head -2'", "app\nbin", 0, None),
    ("ssh web1 rm -rf /srv/old", "ssh web1 find /srv -name app.conf", "/srv/app/app.conf", 0, None),
    ("ssh web1 rm -rf /srv/old", "ssh web1 find /srv -name old", "", 0, "good"),
    ("ssh web1 rm -rf /srv/d/old", "ssh web1 ls /srv", "d\n", 0, None),
    ("ssh web1 rm -rf /srv/d/old", "ssh web1 ls /srv", "app\n", 0, "good"),
    ("ssh web1 'rm -rf /srv/old/*'", "ssh web1 ls -A /srv/old", "", 0, "good"),
    ("ssh web1 'rm -rf /srv/old/*'", "ssh web1 ls -l /srv/old", "total 4\n-rw-r--r-- 1 a a 3 Jan 5 09:00 x.log", 0, "bad"),
    ("ssh web1 rm -rf /srv/old", "ssh web1 test -e /srv/old", "", 0, "bad"),
    ("ssh web1 rm -rf /srv/old", "ssh web1 test -e /srv/old", "", 1, "good"),
    ("ssh web1 rm -rf /srv/old", "ssh web1 'test ! -e /srv/old'", "", 0, "good"),
    ("ssh web1 rm -rf /srv/old", "ssh web1 stat /srv/old", "ssh: connect to host web1 port 22: Connection refused", 255, None),
    ("ssh web1 userdel -r old", "ssh web1 getent passwd old", "", 2, "good"),
    ("ssh web1 userdel -r old", "ssh web1 id old", "id: 'old': no such user", 1, "good"),
    ("ssh web1 userdel -r old", "ssh web1 id old", "uid=1004(old) gid=1004(old)", 0, "bad"),
    ("Invoke-Command web1 { Remove-Item -Recurse C:\\www\\old }", "Invoke-Command web1 { Test-Path C:\\www\\old }", "False", 0, "good"),
    ("Invoke-Command web1 { Remove-Item -Recurse C:\\www\\old }", "Invoke-Command web1 { Test-Path C:\\www\\old }", "True", 0, "bad"),
    ("Invoke-Command web1 { Remove-Item -Recurse C:\\www\\old }", "Invoke-Command web1 { Get-ChildItem C:\\www }", "d----- 1/5/2026 9:00 AM old", 0, "bad"),
    ("sc.exe \\\\web1 delete old", "sc.exe \\\\web1 query old", "[SC] OpenService FAILED 1060:\n\nThe specified service does not exist as an installed service.", 1060, "good"),
    ("ssh web1 systemctl stop old", "ssh web1 systemctl is-active old", "inactive", 3, "good"),
    ("ssh web1 systemctl stop old", "ssh web1 systemctl is-active old", "active", 0, "bad"),
    ("ssh web1 systemctl stop old", "ssh web1 systemctl is-active old", "failed", 3, None),
    ("ssh web1 docker stop old", "ssh web1 docker ps -a", PS + EXITED, 0, "good"),
    ("ssh web1 docker stop old", "ssh web1 docker ps", PS + OLD, 0, "bad"),
    ("aws ec2 delete-snapshot --snapshot-id snap-0a1", "aws ec2 describe-snapshots --owner-ids self --query 'Snapshots[].SnapshotId' --output text", "snap-0b2\tsnap-0c3", 0, "good"),
    ("aws ec2 delete-snapshot --snapshot-id snap-0a1", "aws ec2 describe-snapshots --owner-ids self --query 'Snapshots[?VolumeSize>`9`].SnapshotId' --output text", "snap-0b2", 0, None),
    ("docker stop old-db", "docker ps -q -f name=old-db", "", 0, "good"),
    ("Stop-Service old -ComputerName web1", "Get-Service old -ComputerName web1", "Status   Name\n------   ----\nStopped  old", 0, "good"),
    (f"curl -s -X DELETE {ITEM}", f"curl -s -o /dev/null -w '%{{http_code}}' {ITEM}", "404", 0, "good"),
    (f"curl -s -X DELETE {ITEM}", f"curl -s -o /dev/null -w '%{{http_code}}' {ITEM}", "200", 0, "bad"),
    (f"curl -s -X DELETE {ITEM}", f"curl -s -o /dev/null -w '%{{http_code}}' {ITEM}", "503", 0, None),
    (f"curl -s -X DELETE {ITEM}", f"curl -i {ITEM}", "HTTP/1.1 404 Not Found\n\n{}", 0, "good"),
]  # fmt: skip


def told(*steps: Any) -> list[str | None]:
    session, _ = Example("x", asks("go"), *steps, says("ok")).build()
    return [one.outcome.state for one in SessionGraph(session).events if isinstance(one, Ran) and one.of_gone]


@pytest.mark.parametrize(
    ("deletion", "look", "output", "exit", "state"),
    ROWS_OF_LOOKS,
    ids=[f"{number}-{row[1][:40]}" for number, row in enumerate(ROWS_OF_LOOKS)],
)
def test_a_look_at_what_was_deleted(
    deletion: str, look: str, output: str, exit: int, state: str | None
) -> None:
    found = [one for one in told(bash(deletion), bash(look, output=output, exit=exit)) if one]
    assert found[-1:] == ([state] if state else [])


# deletion | what may have made it anew | its output | look | output
MADE_ANEW: list[tuple[str, str, str, str, str]] = [
    ("ssh web1 docker rm -f old", "ssh web1 docker run -d --name old app:2", "", "ssh web1 docker ps -a", PS + OLD),
    ("ssh web1 docker rm -f old", "ssh web1 'cd /srv/shop && docker compose up -d'", "Container old  Started", "ssh web1 docker ps -a", PS + OLD),
    ("kubectl delete deployment old", "kubectl apply -f k8s/", "deployment.apps/old created", "kubectl get deploy", DEPLOYMENTS + "old 1/1 1 1 4s"),
    ("ssh web1 rm -rf /srv/app/dist", "ssh web1 'cd /srv/app && npm run build'", "built", "ssh web1 ls /srv/app", "dist\nsrc"),
    ("ssh web1 rm -rf /srv/old", "ssh web1 mkdir -p /srv/old", "", "ssh web1 ls /srv", "old"),
    ("ssh web1 rm /srv/old", "ssh web1 'echo 1 > /srv/old'", "", "ssh web1 ls /srv", "old"),
    ("ssh web1 rm /var/log/app/app.log", "ssh web1 systemctl restart app", "", "ssh web1 ls /var/log/app", "app.log"),
    (DROP, "psql -h db1 -d shop -c 'CREATE TABLE old (id int)'", "CREATE TABLE", "psql -h db1 -d shop -c '\\dt'", " public | old | table | app\n(1 row)"),
    ("ssh web1 systemctl stop old", "ssh web1 systemctl start old", "", "ssh web1 systemctl is-active old", "active"),
    ("ssh web1 systemctl stop old", "ssh web1 /opt/old/bin/up.sh", "", "ssh web1 systemctl is-active old", "active"),
    ("redis-cli -h c1 DEL menu:v2", "curl -s -o /dev/null https://www.example.com/menu", "", "redis-cli -h c1 TTL menu:v2", "(integer) 3599"),
    ("ssh web1 userdel old", "ssh web1 useradd old", "", "ssh web1 id old", "uid=1004(old) gid=1004(old)"),
]  # fmt: skip


@pytest.mark.parametrize(("deletion", "making", "made", "look", "output"), MADE_ANEW)
def test_what_may_have_been_made_anew_is_not_held_against_the_deletion(
    deletion: str, making: str, made: str, look: str, output: str
) -> None:
    assert told(bash(deletion), bash(making, output=made), bash(look, output=output)) == []


def test_a_deletion_that_failed_deleted_nothing() -> None:
    refused = bash(
        "ssh web1 rm -rf /srv/old", output="rm: cannot remove '/srv/old': Permission denied", exit=1
    )
    assert told(refused, bash("ssh web1 ls /srv", output="old")) == []


def test_a_list_tells_of_each_of_several() -> None:
    gone = bash("ssh web1 docker rm one two", output="one\ntwo")
    left = PS + API.replace("   api\n", "   two\n")
    assert told(gone, bash("ssh web1 docker ps -a", output=left)) == ["good", "bad"]


ORPHANS = "gcloud compute disks list --project shop --filter='-users:*' --format='value(name)'"


def test_the_same_list_of_a_part_before_and_after() -> None:
    gone = bash("gcloud compute disks delete web-1 --project shop --zone eu-b --quiet", output="Deleted.")
    before, after = bash(ORPHANS, output="web-1\nweb-9"), bash(ORPHANS, output="web-9")
    assert told(before, gone, after) == ["good"]
    assert told(before, gone, bash(ORPHANS, output="web-1\nweb-9")) == ["bad"]
    # What it never showed may be no part of it.
    assert told(gone, after) == []


def test_a_name_among_ids_is_what_the_stop_before_it_printed() -> None:
    stopped = "docker stop old && docker ps -q -f name=old"
    assert told(bash(stopped, output="old")) == ["good"]
    assert told(bash(stopped, output="old\n1a2b3c4d5e6f")) == ["bad"]
