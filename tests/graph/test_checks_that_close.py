"""Which looks close an open restart: by the time of the log's lines, by the port, by the host."""

from __future__ import annotations

from typing import Any

import pytest

from sessionlens.examples import Example, asks, bash, says
from sessionlens.graph.events import Ran
from sessionlens.graph.session_graph import SessionGraph
from sessionlens.shell.times import newest_time, written_since

RESTART = bash("ssh root@lb4 'systemctl restart envoy'", limit=10, times_out=True)
RUN = bash("ssh gpu2 'docker run -d --name q -p 6333:6333 qdrant/qdrant'", output="ab12cd34ef56" * 5 + "abcd")
SERVE = bash("ssh gpu2 'nohup vllm serve acme --port 8000 > v.log 2>&1 &'")
BARE = bash("ssh gpu2 'nohup ./serve.sh > v.log 2>&1 &'")


def closed_by(*steps: Any) -> list[str]:
    session, _ = Example("x", asks("go"), *steps, says("ok")).build()
    return [operation.closed_by for operation in SessionGraph(session).ledger]


# Examples begin on 2026-01-05 at 09:00 UTC; the restart at 09:00:02 or so.
LOOKS: list[tuple[Any, str, str, str]] = [
    (RESTART, "ssh root@lb4 'journalctl -u envoy -n 2 --no-pager'", "Jan 05 09:00:09 lb4 systemd[1]: Started envoy.service.", "check"),
    (RESTART, "ssh root@lb4 'journalctl -u envoy -n 2 --no-pager'", "Jan 05 10:00:09 lb4 systemd[1]: Started envoy.service.", "check"),
    (RESTART, "ssh root@lb4 'journalctl -u envoy -n 2 --no-pager'", "Jan 05 04:00:09 lb4 systemd[1]: Started envoy.service.", "check"),
    (RESTART, "ssh root@lb4 'journalctl -u envoy -n 2 --no-pager'", "Jan 04 07:12:45 lb4 systemd[1]: Started envoy.service.", "none"),
    (RESTART, "ssh root@lb4 'journalctl -u envoy -n 2 -o short-iso'", "2026-01-05T09:00:09+0000 lb4 systemd[1]: Started envoy.service.", "check"),
    (RESTART, "ssh root@lb4 'journalctl -u envoy -n 2 -o short-iso'", "2026-01-05T08:40:09+0000 lb4 systemd[1]: Started envoy.service.", "none"),
    (RESTART, "ssh root@lb4 'journalctl -u envoy -n 2 -o short-iso'", "2026-01-05T10:00:09+0100 lb4 systemd[1]: Started envoy.service.", "check"),
    (RESTART, "ssh root@lb4 'journalctl -u envoy -n 2'", "5. Jan 09:00:09 lb4 systemd[1]: Started envoy.service.", "check"),
    (RESTART, "ssh root@lb4 'journalctl -u envoy -n 2'", "дек 31 21:12:09 lb4 systemd[1]: Started envoy.service.", "none"),
    (RESTART, "ssh root@lb4 'docker logs -t --tail 1 envoy'", "2026-01-05T09:00:10.000Z server is ready to accept connections", "check"),
    (RESTART, "ssh root@lb4 'tail -n 2 /var/log/envoy/envoy.log'", "server is ready to accept connections", "check"),
    (RESTART, "ssh root@lb4 'tail -n 2 /var/log/envoy/envoy.log'", "[2026-01-05 07:12:45.000][info] listening on :80", "none"),
    (RESTART, "ssh root@lb4 'tail -n 2 /var/log/envoy/envoy.log'", "[2026-01-04 23:00:00.000][info] a\n[2026-01-05 09:00:11.000][info] listening on :80", "check"),
    (RESTART, "ssh root@lb4 'tail -n 2 /var/log/envoy/envoy.log'", '{"level":"info","ts":1767603609.1,"msg":"listening on :80"}', "check"),
    (RESTART, "ssh root@lb4 'tail -n 2 /var/log/envoy/envoy.log'", '{"level":"info","ts":1767596409.1,"msg":"listening on :80"}', "none"),
    (RESTART, "ssh root@lb4 'tail -n 2 /var/log/envoy/access.log'", '10.0.0.1 - - [05/Jan/2026:06:00:10 +0000] "GET / HTTP/1.1" 200 12', "none"),
    (RESTART, "ssh root@lb4 'systemctl status envoy'", "Active: active (running) since Mon 2026-01-05 09:00:05 UTC; 4s ago\n\nJan 04 07:00:00 lb4 envoy: x", "check"),
    (RESTART, "ssh root@lb4 'envoy --mode validate -c /etc/envoy/envoy.yaml'", "configuration '/etc/envoy/envoy.yaml' OK", "none"),
    (bash("ssh root@lb4 'systemctl reload nginx'", limit=10, times_out=True), "ssh root@lb4 'nginx -t'", "nginx: configuration file /etc/nginx/nginx.conf test is successful", "none"),
    (bash("ssh root@lb4 'systemctl reload nginx'", limit=10, times_out=True), "ssh root@lb4 'systemctl is-active nginx'", "active", "check"),
    (bash("ssh root@lb4 'systemctl restart apache2'", limit=10, times_out=True), "ssh root@lb4 'apachectl configtest'", "Syntax OK", "none"),
    (bash("ssh root@lb4 'systemctl restart haproxy'", limit=10, times_out=True), "ssh root@lb4 'haproxy -c -f /etc/haproxy/haproxy.cfg'", "Configuration file is valid", "none"),
    (bash("ssh root@lb4 'systemctl restart named'", limit=10, times_out=True), "ssh root@lb4 'named-checkconf'", "", "none"),
    (RUN, "ssh gpu2 'curl -s http://localhost:6333/healthz'", "ok", "check"),
    (RUN, "ssh gpu2 'curl -s http://localhost:9999/healthz'", "ok", "none"),
    (RUN, "ssh gpu2 'curl -s http://localhost/healthz'", "ok", "none"),
    (RUN, "ssh gpu2 'docker exec q curl -s http://localhost:80/healthz'", "ok", "check"),
    (SERVE, "ssh gpu2 'curl -s http://localhost:8000/health'", '{"status":"ok"}', "check"),
    (SERVE, "ssh gpu2 'curl -s http://localhost:8001/health'", '{"status":"ok"}', "none"),
    (SERVE, "ssh gpu2 'ss -ltn | grep 8001'", "LISTEN 0 4096 0.0.0.0:8001 0.0.0.0:*", "none"),
    (SERVE, "ssh gpu2 'ss -ltn | grep 8000'", "LISTEN 0 4096 0.0.0.0:8000 0.0.0.0:*", "check"),
    (SERVE, "ssh gpu3 'curl -s http://localhost:8000/health'", '{"status":"ok"}', "none"),
    (BARE, "ssh gpu2 'curl -s http://localhost:8001/health'", '{"status":"ok"}', "check"),
    (bash("ssh gpu2 'nohup llama-server -m x.gguf -b 2048 -p 16 > l.log 2>&1 &'"), "ssh gpu2 'curl -s http://localhost:8080/health'", '{"status":"ok"}', "check"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("start", "look", "output", "expected"), LOOKS, ids=[f"{n}-{row[1][:50]}" for n, row in enumerate(LOOKS)]
)
def test_what_closes_a_restart(start: Any, look: str, output: str, expected: str) -> None:
    assert closed_by(start, bash(look, output=output)) == [expected]


def test_times_that_cannot_be_read_say_nothing() -> None:
    assert newest_time("no time here\n12:30 lunch") == ""
    assert newest_time("2026-13-45 99:00:00 x") == ""
    assert newest_time("Feb 29 10:00:00 x") == "Feb 29 10:00:00"
    assert (
        newest_time(
            "Loaded the snapshot that was written at 2025-12-01 00:00:00 by somebody\nready\nready\nready\nready"
        )
        == ""
    )
    assert newest_time("ready\n" * 9 + "2025-12-01 00:00:00 x") == ""
    assert (
        newest_time("the certificate of this and that host, which is old, expires 2025-12-01 00:00:00") == ""
    )
    assert written_since("", 0, 0)
    assert written_since("Feb 29 10:00:00", 1_767_603_600_000, 1_767_603_700_000), "no such day is near"


def test_the_newest_of_reversed_lines_counts() -> None:
    assert newest_time("2026-01-05 09:00:09 b\n2026-01-05 08:00:00 a") == "2026-01-05 09:00:09"


REBOOT = bash("ssh root@db2 reboot", exit=255, output="Connection to db2 closed by remote host.")
LATER = bash("ssh root@db2 'shutdown -r +5'", output="Shutdown scheduled, use 'shutdown -c' to cancel.")
PONG = "64 bytes from db2: icmp_seq=1 ttl=64 time=0.3 ms\n1 packets transmitted, 1 received, 0% packet loss"
AFTER: list[tuple[Any, str, str, str | None]] = [
    (REBOOT, "ssh root@db2 uptime", " 12:01:03 up 212 days,  3:04,  1 user", "bad"),
    (REBOOT, "ssh root@db2 uptime", " 12:01:03 up  3:04,  1 user", "bad"),
    (REBOOT, "ssh root@db2 uptime", " 12:01:03 up 1 min,  1 user", "good"),
    (REBOOT, "ssh root@db2 'uptime -p'", "up 30 weeks, 2 days, 1 hour", "bad"),
    (REBOOT, "ssh root@db2 'cat /proc/uptime'", "18345678.12 36000000.50", "bad"),
    (REBOOT, "ssh root@db2 'who -b'", "         system boot  2025-06-01 04:12", "bad"),
    (REBOOT, "ssh root@db2 'who -b'", "         system boot  2026-01-05 10:00", "good"),
    (REBOOT, "ping -c1 db2", PONG, "unclear"),
    (REBOOT, "ping -c1 db2", "1 packets transmitted, 0 received, 100% packet loss", "bad"),
    (LATER, "ssh root@db2 uptime", " 09:01:03 up 212 days,  3:04,  1 user", "unclear"),
    (LATER, "ssh root@db2 uptime", " 09:01:03 up 0 min,  1 user", "good"),
]


@pytest.mark.parametrize(("reboot", "look", "output", "found"), AFTER, ids=[row[2][:30] for row in AFTER])
def test_what_a_look_tells_of_a_reboot(reboot: Any, look: str, output: str, found: str | None) -> None:
    session, _ = Example("x", asks("go"), reboot, bash(look, output=output), says("ok")).build()
    (operation,) = SessionGraph(session).ledger
    assert operation.found == found


AGAIN = bash("ssh web1 'systemctl restart billing'", limit=15, times_out=True)
BOX = bash("ssh web1 'docker restart api'", limit=15, times_out=True)
ROLL = bash("kubectl --context prod rollout restart deploy/api", limit=15, times_out=True)
FRESH = bash("ssh web1 'nohup ./billing --port 8080 > b.log 2>&1 &'")
BOXES = "CONTAINER ID   IMAGE     COMMAND   CREATED        STATUS         PORTS    NAMES\nab12cd34ef56   api:1.2   /run      3 months ago   {}   80/tcp   api"
PODS = "NAME                   READY   STATUS    RESTARTS   AGE\napi-5d9f8c7b6-x1z2y   1/1     Running   0          {}"
THERE: list[tuple[Any, str, str, str]] = [
    (AGAIN, "ssh web1 'pgrep -fa billing'", "4711 /usr/bin/billing --serve", "unclear"),
    (AGAIN, "ssh web1 'pgrep -fa billing'", "", "bad"),
    (AGAIN, "ssh web1 'ps aux | grep [b]illing'", "root 4711 0.0 /usr/bin/billing --serve", "unclear"),
    (AGAIN, "ssh web1 'systemctl is-active billing'", "active", "good"),
    (AGAIN, "ssh web1 'systemctl status billing'", "Active: active (running) since Mon 2026-01-05 09:00:05 UTC; 14s ago", "good"),
    (AGAIN, "ssh web1 'systemctl status billing'", "Active: active (running) since Mon 2025-06-02 09:00:05 UTC; 7 months 3 days ago", "unclear"),
    (BOX, "ssh web1 'docker ps'", BOXES.format("Up 3 weeks"), "unclear"),
    (BOX, "ssh web1 'docker ps'", BOXES.format("Up 3 seconds"), "good"),
    (ROLL, "kubectl --context prod get pods -l app=api", PODS.format("41d"), "unclear"),
    (ROLL, "kubectl --context prod get pods -l app=api", PODS.format("9s"), "good"),
    (FRESH, "ssh web1 'pgrep -fa billing'", "4711 ./billing --port 8080", "good"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("start", "look", "output", "found"), THERE, ids=[f"{n}-{row[1][:40]}" for n, row in enumerate(THERE)]
)
def test_what_is_merely_there_or_old_is_not_found_good(
    start: Any, look: str, output: str, found: str
) -> None:
    empty = 1 if not output else 0
    session, _ = Example("x", asks("go"), start, bash(look, output=output, exit=empty), says("ok")).build()
    (operation,) = SessionGraph(session).ledger
    assert operation.found == found


# Tools of a service that bear another name than the service.
TOOLS: list[tuple[str, str, str, str]] = [
    ("strongswan", "swanctl --list-sas", "roadwarrior: #12, ESTABLISHED, IKEv2", "check"),
    ("strongswan-starter", "ipsec statusall", "Security Associations (1 up, 0 connecting):\n  road[1]: ESTABLISHED 3 seconds ago", "check"),
    ("postfix", "swaks --to a@b.c --server localhost", "=== Connected to localhost.\n250 2.0.0 Ok: queued as 3F", "check"),
    ("dovecot", "doveconf -n", "# 2.3.19\nprotocols = imap", "check"),
    ("pdns", "pdns_control ping", "PONG", "check"),
    ("haproxy", "echo show info | nc -U /run/haproxy/admin.sock", "Name: HAProxy\nUptime_sec: 4", "check"),
    ("kafka", "kafka-metadata-quorum.sh --bootstrap-server localhost:9092 describe --status", "LeaderId: 1", "check"),
    ("smbd", "smbstatus", "Samba version 4.17\nPID  Username", "check"),
    ("winbind", "wbinfo -t", "checking the trust secret for domain X via RPC calls succeeded", "check"),
    ("docker", "docker info", "Server Version: 26.1", "check"),
    ("containerd", "ctr version", "Server:\n Version: 1.7", "check"),
    ("libvirtd", "virsh list --all", "1 vm1 running", "check"),
    ("ceph-mon@a", "ceph health", "HEALTH_OK", "check"),
    ("glusterd", "gluster peer status", "Number of Peers: 1\nState: Peer in Cluster (Connected)", "check"),
    ("slapd", "ldapsearch -x -b '' -s base", "result: 0 Success", "check"),
    ("cups", "lpstat -r", "scheduler is running", "check"),
    ("frr", "vtysh -c 'show bgp summary'", "10.0.0.1 4 65001 12 13 0 0 0 00:00:03 5", "check"),
    ("pacemaker", "crm_mon -1", "Online: [ lb4 lb5 ]", "check"),
    ("corosync", "corosync-quorumtool -s", "Quorate: Yes", "check"),
    ("freeradius", "radtest a b localhost 0 s", "Received Access-Accept Id 1", "check"),
    ("snmpd", "snmpget -v2c -c x localhost sysUpTime.0", "DISMAN-EVENT-MIB::sysUpTimeInstance = Timeticks: (400) 0:00:04.00", "check"),
    ("tailscaled", "tailscale status", "100.1.1.1 lb4 anna linux -", "check"),
    ("rspamd", "rspamc stat", "Messages scanned: 4", "check"),
    ("clamav-daemon", "clamdscan --ping 3", "PONG", "check"),
    ("knot", "knotc status", "Running", "check"),
    ("iscsid", "iscsiadm -m session", "tcp: [1] 10.0.0.1:3260,1 iqn.x", "check"),
    ("lxd", "lxc list", "| web | RUNNING |", "check"),
    ("nomad", "nomad node status", "ab dc1 lb4 ready", "check"),
    ("wg-quick@wg0", "swanctl --list-sas", "road: #12, ESTABLISHED, IKEv2", "none"),
    ("postfix", "doveconf -n", "# 2.3.19\nprotocols = imap", "none"),
    ("kafka", "smbstatus", "Samba version 4.17", "none"),
    ("containerd", "docker system df", "Images 12 3 4.1GB", "none"),
]  # fmt: skip


@pytest.mark.parametrize(("service", "look", "output", "expected"), TOOLS, ids=[row[1][:40] for row in TOOLS])
def test_a_service_is_asked_through_a_tool_of_another_name(
    service: str, look: str, output: str, expected: str
) -> None:
    restart = bash(f"ssh root@lb4 'systemctl restart {service}'", limit=10, times_out=True)
    assert closed_by(restart, bash(f'ssh root@lb4 "{look}"', output=output))[:1] == [expected]


@pytest.mark.parametrize(
    ("output", "state"),
    [
        ("An error occurred (NoSuchLifecycleConfiguration) when calling the operation", "unclear"),
        ("An error occurred (NoSuchBucket) when calling the operation", "bad"),
        ('{"Rules": []}', "good"),
    ],
)
def test_that_there_is_no_such_setting_is_an_answer(output: str, state: str) -> None:
    look = "aws --profile prod s3api get-bucket-lifecycle-configuration --bucket builds"
    session, _ = Example(
        "x", asks("go"), bash(look, output=output, exit=0 if state == "good" else 254), says("ok")
    ).build()
    shown = [event.outcome.state for event in SessionGraph(session).events if isinstance(event, Ran)]
    assert shown == [state]


@pytest.mark.parametrize(
    ("order", "cancel", "closed_by"),
    [
        ("shutdown /r /t 600", "shutdown /a", "stop"),
        ("shutdown -r +5", "shutdown -c", "stop"),
        ("systemctl reboot --when=+10min", "systemctl reboot --when=cancel", "stop"),
        ("systemctl reboot --when=+10min", "systemctl reboot --when=show", "none"),
        ("echo reboot | at 02:00", "atrm 7", "stop"),
        ("echo reboot | at 02:00", "atrm 8", "none"),
        ("shutdown /r /t 600", "shutdown /?", "none"),
    ],
)
def test_a_reboot_that_was_called_off_is_closed(order: str, cancel: str, closed_by: str) -> None:
    shown = "job 7 at Tue Jan  6 02:00:00 2026" if "| at" in order else ""
    steps = (bash(f"ssh root@db2 '{line}'", output=shown) for line in (order, cancel))
    session, _ = Example("x", asks("go"), *steps, says("ok")).build()
    (operation,) = SessionGraph(session).ledger
    assert operation.closed_by == closed_by


def test_calling_off_closes_nothing_on_other_machines() -> None:
    session, _ = Example(
        "x", asks("go"), bash("ssh root@db2 'shutdown /r'"), bash("ssh root@db3 'shutdown /a'"), says("ok")
    ).build()
    (operation,) = SessionGraph(session).ledger
    assert operation.closed_by == "none"
