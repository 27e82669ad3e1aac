"""What results show of commands: a table of lines, exit codes, outputs and what follows for one command."""

from __future__ import annotations

import time
from typing import Any

import pytest

from sessionlens import shell
from sessionlens.shell.command import Command, Outcome
from sessionlens.shell.outcome import QUOTED, connection_lost, judge
from sessionlens.targets import Target

NGINX_UP = """● nginx.service - A high performance web server
     Loaded: loaded (/lib/systemd/system/nginx.service; enabled)
     Active: active (running) since Tue 2026-02-10 10:00:00 UTC; 3s ago
   Main PID: 4711 (nginx)
"""
PODS_UP = "NAME                  READY   STATUS    RESTARTS   AGE\napi-5d9f8c7b6-x1z2y   1/1     Running   0          40s\n"
PODS_CRASH = (
    "NAME    READY   STATUS             RESTARTS   AGE\napi-1   0/1     CrashLoopBackOff   4          3m\n"
)
PODS_NEW = (
    "NAME    READY   STATUS              RESTARTS   AGE\napi-1   0/1     ContainerCreating   0          3s\n"
)
PS_TABLE = "CONTAINER ID   IMAGE   COMMAND   CREATED   STATUS   PORTS   NAMES\n"
PM2 = "│ id │ name │ mode │ status │\n│ 0  │ api  │ fork │ online │\n"
META = "<bash_metadata>\nbash tool terminated command after exceeding timeout 15000 ms\n</bash_metadata>"
SEED = "ssh root@10.20.30.140 'systemctl daemon-reload && systemctl restart sglang-kimi.service && echo \"Restarting with hicache...\"'"

# line | exit (None: not recorded) | output | beginning of the words of the command asked about | what follows
# Words of what follows: reached=…, done=…, failed, nothing, good, bad, unclear, none, progress, expired, sound (not failed)
ROWS: list[tuple[str, int | None, str, str, str]] = [
    # a loop that waits: what its last round shows counts
    ("for i in $(seq 1 20); do echo try $i; curl -fs web1:8080/health && break; sleep 3; done", 0, "try 1\ncurl: (7) Failed to connect\ntry 2\nok", "curl", "good"),
    ("for i in 1 2 3; do curl -fs web1:8080/health && break; sleep 3; done", 0, "curl: (7) Failed to connect\ncurl: (7) Failed to connect\ncurl: (7) Failed to connect", "curl", "bad"),
    ("for i in 1 2 3; do curl -fs web1:8080/health && break; echo $i; sleep 3; done", 0, "curl: (7) Failed to connect\n1\ncurl: (7) Failed to connect\n2", "curl", "bad"),
    ("until curl -fsS web1:8080/health; do sleep 3; done", 0, "curl: (7) Failed to connect\n{\"status\":\"ok\"}", "curl", "good"),
    ("while ! curl -fsS web1:8080/health; do echo not yet; sleep 3; done", 0, "curl: (7) Failed to connect\nnot yet\n{\"status\":\"ok\"}", "curl", "good"),
    ("for h in $(cat hosts); do curl -fs $h:8080/health; done", 0, "curl: (7) Failed to connect\nok", "curl", "bad"),
    # what a status says of itself
    ("mysql -h db2 -e 'show slave status\\G'", 0, "Slave_IO_Running: Yes\nSlave_SQL_Running: No\nLast_SQL_Errno: 1062", "mysql", "bad"),
    ("mysql -h db2 -e 'show replica status\\G'", 0, "Replica_IO_Running: Yes\nReplica_SQL_Running: Yes\nLast_SQL_Errno: 0\nLast_SQL_Error:\nSeconds_Behind_Source: 0", "mysql", "good"),
    ("df -h /srv", 0, "Filesystem Size Used Avail Use% Mounted on\n/dev/sdb1 1.8T 1.8T 9.0G 100% /srv", "df", "bad"),
    ("df -h", 0, "Filesystem Size Used Avail Use% Mounted on\n/dev/loop3 64M 64M 0 100% /snap/core/7\n/dev/sda1 98G 60G 33G 65% /", "df", "good"),
    ("openssl x509 -checkend 604800 -noout -in c.pem", 1, "Certificate will expire", "openssl", "bad"),
    ("openssl x509 -checkend 604800 -noout -in c.pem", 0, "Certificate will not expire", "openssl", "sound"),
    ("cat /proc/mdstat", 0, "md1 : active raid1 sdc1[2] sdb1[1]\n      488 blocks [2/1] [_U]", "cat", "bad"),
    ("cat /proc/mdstat", 0, "md1 : active raid1 sdc1[2] sdb1[1]\n      488 blocks [2/2] [UU]", "cat", "good"),
    ("zpool status tank", 0, "  pool: tank\n state: DEGRADED\nstatus: One or more devices", "zpool", "bad"),
    ("zpool status tank", 0, "  pool: tank\n state: ONLINE\nerrors: No known data errors", "zpool", "good"),
    ("pulumi preview --stack prod", 0, "Resources:\n    12 unchanged", "pulumi", "good"),
    ("pulumi preview --stack prod", 0, "Resources:\n    ~ 1 to update\n    11 unchanged", "pulumi", "none"),
    ("cdk diff Prod", 0, "Stack Prod\nThere were no differences\nNumber of stacks with differences: 0", "cdk", "good"),
    ("cdk diff Prod", 0, "Stack Prod\nResources\n[~] AWS::Lambda::Function Fn\nNumber of stacks with differences: 1", "cdk", "none"),
    ("terraform plan -detailed-exitcode", 2, "Plan: 0 to add, 1 to change, 0 to destroy.", "terraform", "none sound"),
    ("kafka-consumer-groups.sh --describe --group o", 0, "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID\no orders 0 100 100 0 c-1", "kafka", "good"),
    ("kafka-consumer-groups.sh --describe --group o", 0, "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID\no orders 0 100 4100 4000 c-1", "kafka", "unclear progress"),
    ("kafka-consumer-groups.sh --describe --group o", 0, "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID\no orders 0 100 4100 4000 -\n\nConsumer group 'o' has no active members.", "kafka", "bad"),
    ("amtool alert query", 0, "Alertname  Starts At  Summary  State\nDiskFull  2026-01-05 08:50:00 UTC  disk is full  active", "amtool", "bad"),
    ("curl -s http://am/api/v2/alerts", 0, '[{"labels":{"alertname":"DiskFull"},"status":{"state":"active"}}]', "curl", "bad"),
    ("curl -s http://prom/api/v1/alerts", 0, '{"status":"success","data":{"alerts":[{"labels":{"alertname":"DiskFull"},"state":"firing"}]}}', "curl", "bad"),
    ("curl -s http://prom/api/v1/alerts", 0, '{"status":"success","data":{"alerts":[]}}', "curl", "good"),
    ("curl -s http://app/users/7", 0, '{"id":7,"state":"active"}', "curl", "good"),
    ("promtool query instant http://prom ALERTS", 0, 'ALERTS{alertname="DiskFull", alertstate="firing"} => 1 @[1]', "promtool", "bad"),
    ("aws cloudwatch describe-alarms --state-value ALARM --query 'MetricAlarms[].AlarmName'", 0, '[\n    "shop-5xx"\n]', "aws", "bad"),
    ("aws cloudwatch describe-alarms --state-value ALARM --query 'MetricAlarms[].AlarmName'", 0, "[]", "aws", "good"),
    ("ceph health", 0, "HEALTH_ERR 1 full osd(s)", "ceph", "bad"),
    ("smartctl -H /dev/sdc", 0, "SMART overall-health self-assessment test result: FAILED!", "smartctl", "bad"),
    ("timedatectl", 0, "System clock synchronized: no\n NTP service: active", "timedatectl", "bad"),
    ("nomad job status tiles", 0, "Task Group  Desired  Placed  Healthy  Unhealthy\ntiles 2 2 0 2", "nomad", "bad"),
    # restarts and reloads
    ("systemctl restart nginx", 0, "", "systemctl", "reached=yes done=yes sound"),
    ("systemctl restart nginx", None, "", "systemctl", "done=yes sound"),
    ("ssh web1 sudo systemctl restart nginx", 0, "", "systemctl", "done=yes"),
    ("systemctl restart nope", 5, "Failed to restart nope.service: Unit nope.service not found.", "systemctl", "done=no failed nothing"),
    ("systemctl restart api", 1, "Job for api.service failed because the control process exited with error code.\nSee \"systemctl status api.service\"", "systemctl", "done=no failed"),
    ("systemctl restart api", 1, "Failed to restart api.service: Interactive authentication required.", "systemctl", "failed nothing"),
    ("systemctl restart api", 1, "Failed to connect to bus: No such file or directory", "systemctl", "failed nothing"),
    ("systemctl restart api", 1, "System has not been booted with systemd as init system (PID 1). Can't operate.", "systemctl", "failed nothing"),
    ("sudo systemctl restart api", 1, "sudo: a password is required", "systemctl", "failed nothing"),
    ("sudo systemctl restart api", 1, "sudo: a terminal is required to read the password; sudo: a password is required", "systemctl", "failed nothing"),
    ("systemctl reload nginx", 1, "Job type reload is not applicable for unit nginx.service.", "systemctl", "failed nothing"),
    ("systemctl --no-block restart api", 0, "", "systemctl", "sound"),
    ("service nginx restart", 0, " * Restarting nginx nginx\n   ...done.", "service", "done=yes"),
    ("service nginx restart", 1, " * Restarting nginx nginx\n   ...fail!", "service", "failed done=no"),
    ("service nope restart", 1, "nope: unrecognized service", "service", "failed nothing"),
    ("/etc/init.d/redis restart", 0, "Stopping redis-server: [  OK  ]\nStarting redis-server: [  OK  ]", "/etc/init.d", "done=yes"),
    ("supervisorctl restart worker", 0, "worker: stopped\nworker: started", "supervisorctl", "done=yes"),
    ("supervisorctl restart worker", 1, "worker: ERROR (no such process)", "supervisorctl", "failed nothing"),
    ("supervisorctl restart worker", 7, "worker: stopped\nworker: ERROR (spawn error)", "supervisorctl", "failed"),
    ("pm2 restart api", 0, "[PM2] Applying action restartProcessId on app [api](ids: [ 0 ])\n[PM2] [api](0) ✓\n" + PM2, "pm2", "done=yes"),
    ("pm2 restart nope", 1, "[PM2][ERROR] Process or Namespace nope not found", "pm2", "failed nothing"),
    ("nginx -s reload", 0, "", "nginx", "done=yes"),
    ("nginx -s reload", 1, "nginx: [emerg] unexpected \"}\" in /etc/nginx/nginx.conf:12", "nginx", "failed"),
    ("rc-service nginx restart", 0, " * Stopping nginx ...  [ ok ]\n * Starting nginx ... [ ok ]", "rc-service", "done=yes"),
    # chains
    ("systemctl daemon-reload && systemctl restart api && echo done", 0, "done\n", "systemctl restart", "reached=yes done=yes"),
    ("systemctl daemon-reload && systemctl restart api && echo Restarted", 1, "Job for api.service failed because of x", "systemctl restart", "failed done=no"),
    ("systemctl daemon-reload && systemctl restart api && echo Restarted", 1, "Job for api.service failed because of x", "echo", "reached=no"),
    ("cp a.conf /etc/x.conf && systemctl restart x", 1, "cp: cannot stat 'a.conf': No such file or directory", "cp", "failed nothing done=no"),
    ("cp a.conf /etc/x.conf && systemctl restart x", 1, "cp: cannot stat 'a.conf': No such file or directory", "systemctl", "reached=no nothing"),
    ("nginx -t && systemctl reload nginx", 1, "nginx: [emerg] unknown directive\nnginx: configuration file /etc/nginx/nginx.conf test failed", "systemctl", "reached=no nothing"),
    ("nginx -t && systemctl reload nginx", 1, "nginx: [emerg] unknown directive\nnginx: configuration file /etc/nginx/nginx.conf test failed", "nginx", "bad"),
    ("nginx -t && systemctl reload nginx", 0, "nginx: the configuration file /etc/nginx/nginx.conf syntax is ok\nnginx: configuration file /etc/nginx/nginx.conf test is successful", "nginx", "good"),
    ("nginx -t && systemctl reload nginx", 0, "nginx: the configuration file /etc/nginx/nginx.conf syntax is ok\nnginx: configuration file /etc/nginx/nginx.conf test is successful", "systemctl", "done=yes sound"),
    ("systemctl restart api; systemctl is-active api", 0, "active\n", "systemctl is-active", "good"),
    ("systemctl restart api; systemctl is-active api", 3, "failed\n", "systemctl is-active", "bad"),
    ("systemctl restart api && sleep 5 && systemctl is-active api", 3, "activating\n", "systemctl is-active", "unclear progress"),
    ("systemctl restart api && sleep 5 && systemctl is-active api", 3, "activating\n", "systemctl restart", "sound done=yes"),
    ("systemctl restart api && echo OK || echo FAILED", 0, "FAILED\n", "systemctl", "failed done=no"),
    ("systemctl restart api && echo OK || echo FAILED", 0, "OK\n", "systemctl", "done=yes sound"),
    ("test -f /etc/x.conf && echo yes || echo no", 0, "yes\n", "test", "good"),
    ("test -f /etc/x.conf && echo yes || echo no", 0, "no\n", "test", "bad"),
    ("grep -q foo /etc/x.conf || echo missing", 0, "", "grep", "good"),
    ("grep -q foo /etc/x.conf", 0, "", "grep", "good"),
    ("grep -q foo /etc/x.conf", 1, "", "grep", "bad"),
    ("docker push r.acme.io/x:1; echo end", 0, "denied: requested access to the resource is denied\nend\n", "docker", "failed"),
    ("gem push x.gem; echo end", 0, "Pushing gem to https://rubygems.org...\nYou do not have permission to push to this gem.\nend\n", "gem", "failed"),
    ("gh release create v1 -n x; echo end", 0, "HTTP 403: Resource not accessible by integration (https://api.github.com/repos/a/b/releases)\nend\n", "gh", "failed"),
    ("echo start; systemctl restart api; echo end", 0, "start\nend\n", "systemctl", "done=yes reached=yes"),
    ("set -x; systemctl restart api && echo finished", 0, "+ systemctl restart api\n+ echo finished\nfinished\n", "systemctl", "done=yes"),
    # checks of services
    ("systemctl status nginx", 0, NGINX_UP, "systemctl", "good done=yes"),
    ("systemctl status nginx --no-pager | head -20", 0, NGINX_UP, "systemctl", "good"),
    ("systemctl status api", 3, "● api.service\n   Active: failed (Result: exit-code) since x", "systemctl", "bad"),
    ("systemctl status api", 3, "● api.service\n   Active: inactive (dead)", "systemctl", "bad"),
    ("systemctl status api", 3, "● api.service\n   Active: activating (auto-restart) (Result: exit-code)", "systemctl", "bad"),
    ("systemctl status nope", 4, "Unit nope.service could not be found.", "systemctl", "bad"),
    ("systemctl is-active api", 0, "active\n", "systemctl", "good"),
    ("systemctl is-active api", 3, "inactive\n", "systemctl", "bad"),
    ("systemctl is-active --quiet api", 0, "", "systemctl", "good"),
    ("systemctl is-active --quiet api", 3, "", "systemctl", "bad"),
    ("systemctl is-active --quiet api && echo up || echo down", 0, "down\n", "systemctl", "bad"),
    ("systemctl status api", 0, "", "systemctl", "none"),
    ("service nginx status", 0, " * nginx is running", "service", "good"),
    ("service nginx status", 3, " * nginx is not running", "service", "bad"),
    ("supervisorctl status worker", 0, "worker                           RUNNING   pid 1201, uptime 0:00:05", "supervisorctl", "good"),
    ("supervisorctl status worker", 3, "worker                           FATAL     Exited too quickly", "supervisorctl", "bad"),
    ("supervisorctl status worker", 0, "worker                           STARTING", "supervisorctl", "unclear progress"),
    ("pm2 list", 0, PM2, "pm2", "good"),
    ("pm2 status api", 0, "│ 0 │ api │ errored │", "pm2", "bad"),
    ("journalctl -u api -n 20 --no-pager", 0, "Feb 10 systemd[1]: Started api.service.\nFeb 10 api[1]: Listening on port 8000\n", "journalctl", "good"),
    ("journalctl -u api -n 20", 0, "Feb 10 api[1]: Traceback (most recent call last):\nFeb 10 systemd[1]: api.service: Failed with result 'exit-code'.\n", "journalctl", "bad"),
    ("journalctl -u kimi -n 5", 0, "Feb 10 sglang[1]: Loading safetensors checkpoint shards: 40% Completed | 16/40\n", "journalctl", "unclear progress"),
    ("journalctl -u api -n 5", 0, "Feb 10 api[1]: GET /x handled\n", "journalctl", "unclear"),
    ("tail -n 5 /var/log/api.log", 0, "INFO: Application startup complete.\nINFO: Uvicorn running on http://0.0.0.0:8000\n", "tail", "good"),
    # requests
    ("curl -s -o /dev/null -w '%{http_code}' http://localhost:8000/health", 0, "200", "curl", "good"),
    ("curl -s -o /dev/null -w '%{http_code}\\n' http://localhost:8000/health", 0, "503\n", "curl", "bad"),
    ("curl -s -o /dev/null -w '%{http_code}' http://localhost:8000/health", 7, "000", "curl", "bad"),
    ("curl -I https://example.org", 0, "HTTP/2 200 \nserver: nginx\n", "curl", "good"),
    ("curl -I https://example.org", 0, "HTTP/1.1 301 Moved Permanently\nLocation: x\n", "curl", "good"),
    ("curl -sI https://example.org | head -1", 0, "HTTP/1.1 502 Bad Gateway\n", "curl", "bad"),
    ("curl -s http://localhost:8000/health", 0, "{\"status\":\"ok\"}", "curl", "good"),
    ("curl -s http://localhost:8000/health", 0, "{\"status\":\"unhealthy\"}", "curl", "bad"),
    ("curl -s http://localhost:8000/health", 0, "{\"status\":\"starting\"}", "curl", "unclear progress"),
    ("curl -s http://localhost:8000/health", 0, "", "curl", "none"),
    ("curl -s http://localhost:8000/health", None, "", "curl", "none"),
    ("curl -sf http://localhost:8000/health", 0, "", "curl", "good"),
    ("curl -sf http://localhost:8000/health", 22, "", "curl", "bad"),
    ("curl -s http://localhost:8000/health", 7, "", "curl", "bad"),
    ("curl -s --max-time 5 http://localhost:8000/health", 28, "", "curl", "bad"),
    ("curl http://localhost:8000/health", 7, "curl: (7) Failed to connect to localhost port 8000: Connection refused", "curl", "bad"),
    ("curl http://localhost:8000/health", 52, "curl: (52) Empty reply from server", "curl", "bad"),
    ("curl http://localhost:8000/health", 7, "curl: (7) Verbindungsaufbau abgelehnt", "curl", "bad"),
    ("curl -s http://localhost/", 0, "<html><head><title>502 Bad Gateway</title></head></html>", "curl", "bad"),
    ("curl -s http://localhost/", 0, "<!DOCTYPE html><html><head><title>Shop</title></head></html>", "curl", "good"),
    ("curl -s http://localhost:8000/health || echo DOWN", 0, "DOWN\n", "curl", "bad"),
    ("curl -sf localhost:8000/health > /dev/null && echo healthy", 1, "", "curl", "bad"),
    ("wget -qO- http://localhost/health", 0, "ok\n", "wget", "good"),
    ("wget --spider http://localhost/health", 8, "HTTP request sent, awaiting response... 503 Service Unavailable\nERROR 503: Service Unavailable.", "wget", "bad"),
    ("nc -zv db1 5432", 0, "Connection to db1 5432 port [tcp/postgresql] succeeded!", "nc", "good"),
    ("nc -zv db1 5432", 1, "nc: connect to db1 port 5432 (tcp) failed: Connection refused", "nc", "bad"),
    ("nc -z db1 5432", 0, "", "nc", "good"),
    ("ping -c1 web1", 0, "64 bytes from web1: icmp_seq=1\n1 packets transmitted, 1 received, 0% packet loss", "ping", "good"),
    ("ping -c1 web1", 1, "1 packets transmitted, 0 received, 100% packet loss", "ping", "bad"),
    # processes and ports
    ("ss -ltnp | grep 8000", 0, "LISTEN 0 2048 0.0.0.0:8000 0.0.0.0:* users:((\"python\",pid=99,fd=3))", "ss", "good"),
    ("ss -ltnp | grep 8000", 1, "", "ss", "none"),
    ("tail -n 1 serve.log; ss -ltn | grep :8000", 1, "Loading shards: 100% | 64/64", "ss", "none"),
    ("tail -n 1 serve.log; ss -ltn | grep :8000", 0, "Loading shards: 100% | 64/64\nLISTEN 0 128 0.0.0.0:8000 0.0.0.0:*", "ss", "good"),
    ("docker ps | grep cart; df -h /", 0, "/dev/sda1 40G 31G 9G 78% /", "docker", "none"),
    ("cat serve.log; ps aux | grep [v]llm", 1, "started", "ps", "none"),
    ("ps aux | grep vllm", 0, "root 4711 99.0 1.0 12345 678 ? Sl 10:00 0:10 python -m vllm\nroot 4800 0.0 0.0 1 1 pts/0 S+ 10:01 0:00 grep vllm", "ps", "good"),
    ("ps aux | grep vllm", 0, "root 4800 0.0 0.0 1 1 pts/0 S+ 10:01 0:00 grep vllm", "ps", "none"),
    ("pgrep -f vllm", 0, "4711\n", "pgrep", "good"),
    ("pgrep -f vllm", 1, "", "pgrep", "bad"),
    ("lsof -i :8000", 0, "COMMAND PID USER FD TYPE DEVICE SIZE/OFF NODE NAME\npython 99 root 3u IPv4 1 0t0 TCP *:8000 (LISTEN)", "lsof", "good"),
    # containers
    ("docker compose up -d", 0, " Container shop-web-1  Starting\n Container shop-web-1  Started\n", "docker", "done=yes"),
    ("docker compose up -d", 1, " Container shop-db-1  Error\ndependency failed to start: container shop-db-1 is unhealthy", "docker", "failed done=no"),
    ("docker compose up -d", 14, "no configuration file provided: not found", "docker", "failed nothing"),
    ("docker-compose up -d", 0, "Creating shop_web_1 ... done\n", "docker-compose", "done=yes"),
    ("docker compose up -d", 1, "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?", "docker", "failed nothing"),
    ("docker restart web", 0, "web\n", "docker", "done=yes"),
    ("docker restart web", 1, "Error response from daemon: No such container: web", "docker", "failed nothing"),
    ("docker run -d --name web -p 80:80 nginx", 125, "docker: Error response from daemon: Conflict. The container name \"/web\" is already in use", "docker", "failed nothing"),
    ("docker run -d -p 80:80 nginx", 125, "docker: Error response from daemon: driver failed programming external connectivity: port is already allocated", "docker", "failed"),
    ("docker ps --filter name=web", 0, PS_TABLE + "abc  nginx  \"x\"  3 minutes ago  Up 3 minutes  80/tcp  web\n", "docker", "good"),
    ("docker ps", 0, PS_TABLE + "abc  nginx  \"x\"  3 minutes ago  Up 3 seconds (health: starting)  80/tcp  web\n", "docker", "unclear progress"),
    ("docker ps -a", 0, PS_TABLE + "abc  nginx  \"x\"  3 minutes ago  Exited (1) 2 seconds ago   web\n", "docker", "bad"),
    ("docker ps", 0, PS_TABLE + "abc  nginx  \"x\"  3 minutes ago  Restarting (1) 2 seconds ago   web\n", "docker", "bad"),
    ("docker ps", 0, PS_TABLE + "abc  nginx  \"x\"  3 minutes ago  Up 5 minutes (unhealthy)   web\n", "docker", "bad"),
    ("docker compose ps", 0, "NAME IMAGE SERVICE STATUS PORTS\nshop-web-1 x web Up 5 seconds (healthy) 0.0.0.0:80->80/tcp\n", "docker", "good"),
    ("docker inspect -f '{{.State.Health.Status}}' web", 0, "healthy\n", "docker", "good"),
    ("docker inspect -f '{{.State.Health.Status}}' web", 0, "starting\n", "docker", "unclear progress"),
    ("docker logs web --tail 5", 0, "Listening on 0.0.0.0:3000\n", "docker", "good"),
    ("docker logs web --tail 5", 0, "Error: Cannot find module 'express'\n", "docker", "bad"),
    ("docker logs web", 1, "Error response from daemon: No such container: web", "docker", "bad"),
    # cluster
    ("kubectl rollout restart deployment/api -n shop", 0, "deployment.apps/api restarted\n", "kubectl", "done=unknown sound"),
    ("kubectl rollout status deployment/api", 0, "Waiting for deployment \"api\" rollout to finish: 1 of 3 updated replicas are available...\ndeployment \"api\" successfully rolled out\n", "kubectl", "good"),
    ("kubectl rollout status deployment/api --timeout=60s", 1, "Waiting for deployment \"api\" rollout to finish\nerror: timed out waiting for the condition", "kubectl", "none progress"),
    ("kubectl rollout status deployment/api", 1, "error: deployment \"api\" exceeded its progress deadline", "kubectl", "bad"),
    ("kubectl get pods -n shop", 0, PODS_UP, "kubectl", "good"),
    ("kubectl get pods -n shop", 0, PODS_CRASH, "kubectl", "bad"),
    ("kubectl get pods -n shop", 0, PODS_NEW, "kubectl", "unclear progress"),
    ("kubectl get pods -n shop", 0, "NAME READY STATUS RESTARTS AGE\napi-1 0/1 ImagePullBackOff 0 3m\n", "kubectl", "bad"),
    ("kubectl get pods -n shop", 0, "NAME READY STATUS RESTARTS AGE\napi-1 0/1 Pending 0 3m\n", "kubectl", "unclear progress"),
    ("kubectl get deployment api", 0, "NAME READY UP-TO-DATE AVAILABLE AGE\napi 3/3 3 3 4d\n", "kubectl", "good"),
    ("kubectl get deployment api", 0, "NAME READY UP-TO-DATE AVAILABLE AGE\napi 0/3 3 0 4d\n", "kubectl", "bad"),
    ("kubectl get pods", 1, "The connection to the server localhost:8080 was refused - did you specify the right host or port?", "kubectl", "none"),
    ("kubectl apply -f k8s/", 0, "deployment.apps/api configured\nservice/api unchanged\n", "kubectl", "done=unknown sound"),
    ("kubectl apply -f k8s/", 0, "deployment.apps/api unchanged\nservice/api unchanged\n", "kubectl", "nothing"),
    ("kubectl apply -f k8s/", 1, "error: error validating \"k8s/a.yaml\": error validating data: unknown field", "kubectl", "failed nothing"),
    ("kubectl apply -f k8s/", 1, "error: the path \"k8s/\" does not exist", "kubectl", "failed nothing"),
    ("kubectl delete pod api-1", 1, "Error from server (NotFound): pods \"api-1\" not found", "kubectl", "failed nothing"),
    ("kubectl scale deployment/api --replicas=3", 1, "Error from server (Forbidden): deployments.apps \"api\" is forbidden", "kubectl", "failed nothing"),
    ("kubectl apply --dry-run=server -f k8s/", 0, "deployment.apps/api configured (server dry run)\n", "kubectl", "nothing"),
    ("helm upgrade api ./chart", 0, "Release \"api\" has been upgraded. Happy Helming!\nSTATUS: deployed\nREVISION: 4\n", "helm", "done=yes sound"),
    ("helm upgrade api ./chart --wait", 1, "Error: UPGRADE FAILED: timed out waiting for the condition", "helm", "failed done=no"),
    ("helm upgrade api ./chart", 1, "Error: Kubernetes cluster unreachable: Get \"http://localhost:8080/version\"", "helm", "failed nothing"),
    ("helm status api", 0, "NAME: api\nSTATUS: deployed\n", "helm", "good"),
    ("helm status api", 0, "NAME: api\nSTATUS: failed\n", "helm", "bad"),
    # databases
    ("psql -d shop -c \"update orders set state=1\"", 0, "UPDATE 3\n", "psql", "done=yes sound"),
    ("psql -d shop -c \"update orders set state=1 where id=9\"", 0, "UPDATE 0\n", "psql", "nothing"),
    ("psql -d shop -c \"alter table orders add column x int\"", 0, "ALTER TABLE\n", "psql", "done=yes"),
    ("psql -d shop -c \"update order set x=1\"", 1, "ERROR:  syntax error at or near \"order\"", "psql", "failed nothing"),
    ("psql -d shop -c \"update orders set x=1\"", 1, "FEHLER:  Relation »orders« existiert nicht", "psql", "failed nothing"),
    ("psql -h db1 -c \"update orders set x=1\"", 2, "psql: error: connection to server at \"db1\" (10.0.0.3), port 5432 failed: Connection refused", "psql", "failed nothing"),
    ("psql -d shop -c 'select count(*) from orders'", 0, " count \n-------\n    42\n(1 row)\n", "psql", "good"),
    ("psql -d shop -c 'show work_mem'", 0, " work_mem \n----------\n 64MB\n(1 row)\n", "psql", "good"),
    ("psql -d shop -c 'select 1'", 2, "psql: error: connection to server failed: FATAL:  password authentication failed for user \"x\"", "psql", "none"),
    ("pg_isready -h db1", 0, "db1:5432 - accepting connections", "pg_isready", "good"),
    ("pg_isready -h db1", 2, "db1:5432 - no response", "pg_isready", "bad"),
    ("mysqladmin ping", 0, "mysqld is alive\n", "mysqladmin", "good"),
    ("mysql -e 'update t set a=1' shop", 1, "ERROR 1045 (28000): Access denied for user 'x'@'localhost'", "mysql", "failed nothing"),
    ("mysql -e 'select 1' shop", 1, "ERROR 2002 (HY000): Can't connect to local MySQL server through socket", "mysql", "bad"),
    ("redis-cli ping", 0, "PONG\n", "redis-cli", "good"),
    ("redis-cli config set maxmemory 1gb", 0, "OK\n", "redis-cli", "done=yes"),
    ("redis-cli config set maxmemory 1gb", 0, "(error) NOAUTH Authentication required.\n", "redis-cli", "failed nothing"),
    ("redis-cli ping", 1, "Could not connect to Redis at 127.0.0.1:6379: Connection refused", "redis-cli", "bad"),
    ("redis-cli ping", 0, "LOADING Redis is loading the dataset in memory\n", "redis-cli", "unclear progress"),
    ("alembic upgrade head", 0, "INFO  [alembic.runtime.migration] Running upgrade a1 -> b2, add x\n", "alembic", "done=yes"),
    ("python manage.py migrate", 0, "Operations to perform:\n  Applying shop.0002_x... OK\n", "python", "done=yes"),
    ("python manage.py migrate", 0, "Operations to perform:\n  No migrations to apply.\n", "python", "nothing"),
    ("python manage.py migrate", 1, "django.db.utils.OperationalError: could not connect to server: Connection refused", "python", "failed"),
    # files
    ("sed -i 's/a/b/' /etc/x.conf", 0, "", "sed", "done=yes sound"),
    ("sed -i 's/a/b/' /etc/x.conf", 1, "sed: can't read /etc/x.conf: No such file or directory", "sed", "failed nothing"),
    ("sed -i 's/a/b/' /etc/x.conf", 4, "sed: couldn't open temporary file /etc/sedX: Permission denied", "sed", "failed nothing"),
    ("sed -i 's/a/b' /etc/x.conf", 1, "sed: -e expression #1, char 5: unterminated `s' command", "sed", "failed nothing"),
    ("echo 1 > /etc/x.conf", 1, "bash: /etc/x.conf: Permission denied", "echo", "failed nothing"),
    ("echo 1 > /etc/x.conf", 1, "-bash: /etc/x.conf: Keine Berechtigung", "echo", "failed nothing"),
    ("tee /etc/x.conf <<'EOF'\na=1\nEOF", 1, "tee: /etc/x.conf: Permission denied\na=1", "tee", "failed nothing"),
    ("rm /etc/x.conf", 1, "rm: cannot remove '/etc/x.conf': Operation not permitted", "rm", "failed nothing"),
    ("rm /etc/x.conf", 1, "rm: das Entfernen von '/etc/x.conf' ist nicht möglich: Datei oder Verzeichnis nicht gefunden", "rm", "failed nothing"),
    ("mv a /etc/b", 1, "mv: impossible d'évaluer 'a': Aucun fichier ou dossier de ce type", "mv", "failed nothing"),
    ("cat /etc/x.conf", 0, "a=1\n", "cat", "good"),
    ("cat /etc/x.conf", 0, "", "cat", "none"),
    ("cat /etc/x.conf", 1, "cat: /etc/x.conf: No such file or directory", "cat", "bad"),
    ("foo --bar", 127, "bash: foo: command not found", "foo", "failed"),
    ("vllmx serve m --port 8000", 127, "bash: line 1: vllmx: command not found", "vllmx", "failed"),
    # infrastructure, clouds, transfers
    ("terraform apply -auto-approve", 0, "Apply complete! Resources: 1 added, 0 changed, 0 destroyed.", "terraform", "done=yes sound"),
    ("terraform apply -auto-approve", 0, "No changes. Your infrastructure matches the configuration.\nApply complete! Resources: 0 added, 0 changed, 0 destroyed.", "terraform", "nothing"),
    ("terraform apply -auto-approve", 1, "│ Error: creating EC2 Instance: UnauthorizedOperation", "terraform", "failed"),
    ("ansible-playbook site.yml", 0, "PLAY RECAP ****\nweb1 : ok=5 changed=2 unreachable=0 failed=0", "ansible-playbook", "done=yes sound"),
    ("ansible-playbook site.yml", 2, "fatal: [web1]: FAILED! => {}\nPLAY RECAP ****\nweb1 : ok=2 changed=1 unreachable=0 failed=1", "ansible-playbook", "failed"),
    ("ansible-playbook site.yml", 4, "fatal: [web1]: UNREACHABLE! => {}\nPLAY RECAP ***\nweb1 : ok=0 changed=0 unreachable=1 failed=0", "ansible-playbook", "failed nothing"),
    ("vercel --prod", 0, "✅  Production: https://shop.example.org [2s]", "vercel", "done=yes"),
    ("fly deploy", 1, "Error: failed to fetch an image or build from source", "fly", "failed"),
    ("fly deploy", 0, "Finished deploying\nVisit your newly deployed app at https://shop.fly.dev/", "fly", "done=yes"),
    ("git push origin main", 0, "To github.com:a/b.git\n   1a2b3c4..5d6e7f8  main -> main", "git", "done=yes"),
    ("git push origin main", 0, "Everything up-to-date", "git", "nothing"),
    ("git push origin main", 1, " ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs", "git", "failed nothing"),
    ("rsync -a dist/ web1:/var/www/", 0, "", "rsync", "done=yes sound"),
    # A check that could not run or see tells nothing; what answers badly does.
    ("curl -s localhost:3000", 127, "bash: line 1: curl: command not found", "curl", "none failed"),
    ("curl -fsS https://api.acme.io/health", 6, "", "curl", "none"),
    ("curl -s https://api.acme.io/health", 6, "curl: (6) Could not resolve host: api.acme.io", "curl", "none"),
    ("curl -s https://api.acme.io/health", 28, "curl: (28) Operation timed out after 5001 milliseconds", "curl", "bad"),
    ("curl -s https://api.acme.io/health", 7, "curl: (7) Failed to connect to api.acme.io port 443: Connection refused", "curl", "bad"),
    ("curl -sI https://api.acme.io/", 0, "HTTP/1.1 407 Proxy Authentication Required", "curl", "none"),
    ("curl -sI https://api.acme.io/", 0, "HTTP/1.1 403 Forbidden", "curl", "good"),
    ("systemctl is-active api", 1, "Failed to connect to bus: No medium found", "systemctl", "none"),
    ("docker ps", 1, "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock", "docker", "none"),
    ("kubectl get pods", 1, "error: You must be logged in to the server (Unauthorized)", "kubectl", "none"),
    ("kubectl get pods", 1, "Error from server (NotFound): pods \"api\" not found", "kubectl", "bad"),
    ("tail -n 5 /var/log/api.log", 1, "tail: /var/log/api.log öffnen nicht möglich: Keine Berechtigung", "tail", "none"),
    ("tail -n 5 /var/log/api.log", 0, "ERROR open /srv/x: Permission denied", "tail", "bad"),
    ("nginx -t", 127, "sh: 1: nginx: not found", "nginx", "none"),
    ("redis-cli ping", 0, "NOAUTH Authentication required.", "redis-cli", "none"),
    ("mysqladmin ping", 1, "mysqladmin: connect to server at 'localhost' failed\nerror: 'Access denied for user 'x'@'localhost''", "mysqladmin", "none"),
    ("mysqladmin ping", 1, "mysqladmin: connect to server at 'localhost' failed\nerror: 'Can't connect to local MySQL server through socket'", "mysqladmin", "bad"),
    ("journalctl -u api --since -5min", 0, "-- No entries --", "journalctl", "none"),
    ("journalctl -u api", 0, "-- Logs begin at Mon 2026-01-05 10:00:00 UTC, end at Mon 2026-01-05 11:00:00 UTC. --\n-- No entries --", "journalctl", "none"),
    # The head of a list alone: nothing is there.
    ("docker ps", 0, "CONTAINER ID   IMAGE     COMMAND   CREATED   STATUS    PORTS     NAMES\n", "docker", "bad"),
    ("docker ps --filter status=exited", 0, "CONTAINER ID   IMAGE     COMMAND   CREATED   STATUS    PORTS     NAMES\n", "docker", "unclear"),
    ("ss -ltnp 'sport = :80'", 0, "State  Recv-Q Send-Q Local Address:Port Peer Address:PortProcess", "ss", "bad"),
    ("systemctl list-units api.service", 0, "0 loaded units listed.", "systemctl", "bad"),
    ("systemctl list-units --failed", 0, "0 loaded units listed.", "systemctl", "good"),
    ("uptime", 0, " 12:01:09 up 1 min,  1 user,  load average: 0.40, 0.10, 0.02", "uptime", "good"),
    ("uptime", 0, " 12:01:09 up 41 days,  3:02,  1 user,  load average: 0.40, 0.10, 0.02", "uptime", "unclear"),
    ("who -b", 0, "         system boot  2026-01-05 10:00", "who", "good"),
    ("helm history cart", 0, "13\tMon Jan  5 10:00:00 2026\tfailed\tcart-1.3\t1.3\tUpgrade failed\n14\tMon Jan  5 10:05:00 2026\tdeployed\tcart-1.2\t1.2\tRollback to 12", "helm", "good"),
    ("helm history cart", 0, "12\tMon Jan  5 10:00:00 2026\tdeployed\tcart-1.2\t1.2\tok\n13\tMon Jan  5 10:05:00 2026\tfailed\tcart-1.3\t1.3\tUpgrade failed", "helm", "bad"),
    # What has not finished is no finished check.
    ("kubectl rollout status deploy/api --timeout=5s", 1, "Waiting for deployment \"api\" rollout to finish: 1 of 3 updated replicas are available...\nerror: timed out waiting for the condition", "kubectl", "none progress"),
    ("kubectl rollout status deploy/api", 1, "error: deployment \"api\" exceeded its progress deadline", "kubectl", "bad"),
    ("kubectl wait --for=condition=available deploy/api --timeout=5s", 1, "error: timed out waiting for the condition on deployments/api", "kubectl", "none progress"),
    ("gh run list -L 1", 0, "in_progress\t\tfix\tDeploy\tmain\tpush\t881", "gh", "none progress"),
    ("gh run list -L 1", 0, "completed\tfailure\tfix\tDeploy\tmain\tpush\t881", "gh", "bad"),
    ("rsync -av dist/ web1:/var/www/", 23, "rsync: mkstemp \"/var/www/x\" failed: Permission denied (13)\nrsync error: some files could not be transferred (code 23)", "rsync", "failed"),
    ("scp a.conf web1:/etc/a.conf", 1, "scp: /etc/a.conf: Permission denied", "scp", "failed nothing"),
    ("scp a.conf web1:/etc/a.conf", 255, "ssh: connect to host web1 port 22: Connection refused\nlost connection", "scp", "failed nothing"),
    ("ssh web1 systemctl restart api", 255, "ssh: connect to host web1 port 22: Connection timed out", "systemctl", "reached=no failed nothing"),
    ("ssh web1 systemctl restart api", 255, "ssh: Could not resolve hostname web1: Name or service not known", "systemctl", "reached=no failed nothing"),
    ("ssh web1 systemctl restart api", 255, "root@web1: Permission denied (publickey,password).", "systemctl", "reached=no failed nothing"),
    ("ssh web1 systemctl restart api", 255, "Host key verification failed.", "systemctl", "reached=no nothing"),
    ("ssh web1 systemctl restart api", 255, "kex_exchange_identification: Connection closed by remote host", "systemctl", "reached=no"),
    ("ssh web1 systemctl restart api", 255, "client_loop: send disconnect: Broken pipe", "systemctl", "sound done=no"),
    ("ssh web1 reboot", 255, "Connection to web1 closed by remote host.", "reboot", "sound"),
    ("apt-get install -y nginx", 0, "Setting up nginx (1.24.0) ...", "apt-get", "done=yes sound"),
    ("apt-get install -y nginxx", 100, "E: Unable to locate package nginxx", "apt-get", "failed nothing"),
    ("apt-get install -y nginx", 100, "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 99", "apt-get", "failed nothing"),
    ("sysctl -w vm.swappiness=10", 0, "vm.swappiness = 10\n", "sysctl", "done=yes sound"),
    ("sysctl -w vm.swappiness=10", 255, "sysctl: permission denied on key \"vm.swappiness\"", "sysctl", "failed nothing"),
    ("crontab /tmp/c", 1, "\"/tmp/c\":1: bad minute\nerrors in crontab file, can't install.", "crontab", "failed nothing"),
    ("ufw allow 443", 0, "Rule added\nRule added (v6)", "ufw", "done=yes"),
    ("ufw allow 443", 0, "Skipping adding existing rule", "ufw", "nothing"),
    # in-command limits
    ("timeout 20 kubectl rollout status deployment/api", 124, "Waiting for deployment \"api\" rollout to finish: 1 of 3\n", "kubectl", "expired none done=no"),
    ("timeout 20 systemctl restart api", 124, "", "systemctl", "expired done=no sound"),
    ("timeout 20 systemctl restart api; echo \"exit: $?\"", 0, "exit: 124\n", "systemctl", "expired done=no sound"),
    ("timeout 20 systemctl restart api; echo $?", 0, "124\n", "systemctl", "expired done=no"),
    ("timeout 20 systemctl restart api; echo rc=$?", 0, "rc=124\n", "systemctl", "expired"),
    ("timeout 20 systemctl restart api; echo rc=$?", 0, "rc=0\n", "systemctl", "done=yes sound"),
    ("timeout 20 systemctl restart api; echo rc=$?", 0, "rc=1\n", "systemctl", "failed done=no"),
    ("timeout 20 systemctl restart api", 0, "", "systemctl", "done=yes"),
    ("timeout 20 curl -s http://localhost:8000/health", 124, "", "curl", "expired none"),
    ("curl -s http://localhost:8000/x", 0, "the request timed out after 124 ms", "curl", "reached=yes"),
]  # fmt: skip


def read(line: str) -> tuple[Command, ...]:
    return shell.read(line)


def find(line: str, beginning: str) -> tuple[tuple[Command, ...], int]:
    commands = read(line)
    for index, command in enumerate(commands):
        if " ".join(command.words).startswith(beginning):
            return commands, index
    raise AssertionError(f"no command {beginning!r} in {[' '.join(c.words) for c in commands]}")


def differences(outcome: Outcome, expected: str) -> list[str]:
    wrong = []
    for word in expected.split():
        name, _, value = word.partition("=")
        actual: Any
        if name in ("good", "bad", "unclear"):
            actual, wanted = outcome.state, name
        elif name == "none":
            actual, wanted = outcome.state, None
        elif name == "reached":
            actual, wanted = outcome.reached, value
        elif name == "done":
            actual, wanted = outcome.completed, value
        else:
            field = {"failed": "failed", "sound": "failed", "nothing": "changed_nothing", "progress": "in_progress",
                     "expired": "expired"}[name]  # fmt: skip
            actual, wanted = getattr(outcome, field), name != "sound"
        if actual != wanted:
            wrong.append(f"{word}: {actual}")
    return wrong


@pytest.mark.parametrize(
    ("line", "code", "output", "beginning", "expected"),
    ROWS,
    ids=[f"{number}-{row[0][:50]}-{row[1]}" for number, row in enumerate(ROWS)],
)
def test_outcome(line: str, code: int | None, output: str, beginning: str, expected: str) -> None:
    commands, index = find(line, beginning)
    outcomes = judge(commands, output, exit=code, status="completed")
    assert len(outcomes) == len(commands)
    outcome = outcomes[index]
    assert not differences(outcome, expected), outcome
    if outcome.quote:
        assert outcome.quote in output
        assert len(outcome.quote) <= QUOTED


def test_table_is_long() -> None:
    assert len(ROWS) >= 150


def one(line: str, beginning: str, output: str, **kwargs: Any) -> Outcome:
    commands, index = find(line, beginning)
    kwargs.setdefault("exit", None)
    kwargs.setdefault("status", "completed")
    return judge(commands, output, **kwargs)[index]


POSTED = "curl -s -X POST https://api.example.com/invoices -d @1.json"


@pytest.mark.parametrize(
    "answer",
    [
        '{"error":"rate limit exceeded","status":429}', '{"error":{"code":403,"message":"no"}}', '{"message":"Forbidden"}', '{"errors":[{"message":"quota exceeded"}]}',
        "HTTP/2 422 \ncontent-type: application/json\n\n{\"a\": 1}", '{"status":"error","message":"invalid token"}', '{"statusCode":500,"requestId":"a","path":"/"}',
    ],
)  # fmt: skip
def test_a_request_that_the_server_refused_changed_nothing(answer: str) -> None:
    outcome = one(POSTED, "curl", answer)
    assert outcome.failed
    assert outcome.changed_nothing


@pytest.mark.parametrize(
    "answer",
    [
        '{"id":7,"status":"created"}', '{"id":7,"error":null}', '{"errors":[],"data":{"a":1}}', '{"id":9,"title":"Error in login","status":"open"}', "",
        '{"data":{"id":1},"errors":[{"message":"deprecated"}]}', "HTTP/1.1 301 Moved\n\nHTTP/1.1 201 Created\n\n", "HTTP/1.1 100 Continue\n\nHTTP/2 204 \n",
    ],
)  # fmt: skip
def test_a_request_that_the_server_took_did_not_fail(answer: str) -> None:
    assert not one(POSTED, "curl", answer).failed


def test_a_status_that_was_printed_tells_that_a_request_was_refused() -> None:
    line = POSTED + " -o /dev/null -w '%{http_code}'"
    assert one(line, "curl", "403").failed
    assert not one(line, "curl", "201").failed
    assert not one(
        POSTED + " -w '\\nHTTP:%{http_code}'", "curl", '{"id":"4e185daa-453-4bcd"}\nHTTP:202\n'
    ).failed


def test_cut_off_restart_of_the_seed() -> None:
    restart = one(SEED, "systemctl restart", META, cut_off=True)
    assert (restart.reached, restart.completed, restart.failed) == ("unknown", "unknown", False)
    echo = one(SEED, "echo", META, cut_off=True)
    assert echo.completed != "yes"


def test_markers_tell_how_far_a_cut_off_line_came() -> None:
    line = 'systemctl daemon-reload && echo reloaded && systemctl restart api && echo "restarted it"'
    output = "reloaded\n" + META
    assert one(line, "systemctl daemon-reload", output, cut_off=True).completed == "yes"
    restart = one(line, "systemctl restart", output, cut_off=True)
    assert restart.reached == "yes"
    assert restart.completed != "yes"
    assert not restart.failed
    done = "reloaded\nrestarted it\n" + META
    assert one(line, "systemctl restart", done, cut_off=True).completed == "yes"


def test_a_cut_off_check_is_none() -> None:
    assert one("curl -s http://localhost:8000/health", "curl", META, cut_off=True).state is None
    assert one("sleep 60 && systemctl is-active api", "systemctl", META, cut_off=True).state is None
    assert one("cat /etc/x.conf", "cat", "a=1\n" + META, cut_off=True).state is None


def test_a_followed_log_that_was_cut_off_is_none_but_is_quoted() -> None:
    output = "Feb 10 systemd[1]: Started api.service.\n" + META
    outcome = one("journalctl -u api -f", "journalctl", output, cut_off=True)
    assert outcome.state is None
    assert outcome.quote == "Feb 10 systemd[1]: Started api.service."


def test_a_check_before_the_command_that_was_cut_off_stands() -> None:
    line = "systemctl is-active api && pytest -q"
    assert one(line, "systemctl", "active\n" + META, cut_off=True).state == "good"
    assert (
        one("systemctl is-active api | tee x.log", "systemctl", "active\n" + META, cut_off=True).state is None
    )


def test_what_a_line_printed_before_it_was_ended_is_over() -> None:
    line = "scp app.conf web1:/etc/app/ && ssh web1 'grep port /etc/app/app.conf; systemctl restart app'"
    output = "port = 8080\n" + META
    assert one(line, "scp", output, cut_off=True).completed == "yes"
    assert one(line, "grep", output, cut_off=True).completed == "yes"
    restart = one(line, "systemctl", output, cut_off=True)
    assert (restart.reached, restart.completed) == ("yes", "no")
    assert one(line, "scp", META, cut_off=True).completed != "yes"


@pytest.mark.parametrize(
    "line",
    [
        # it follows a log, and may be what was cut off
        "scp app.conf web1:/etc/app/; ssh web1 'tail -f /var/log/app.log'; systemctl restart app",
        # the words are those of a restart before it
        "systemctl restart app; cat /etc/app/app.conf; sleep 60",
    ],
)
def test_what_a_line_printed_is_not_given_to_what_did_not_print_it(line: str) -> None:
    assert one(line, line.split(maxsplit=1)[0], "port = 8080\n" + META, cut_off=True).completed != "yes"


@pytest.mark.parametrize(
    ("line", "step", "end"),
    [
        (
            "alembic upgrade head",
            "INFO  [alembic.runtime.migration] Running upgrade 1f -> 2e, add index",
            None,
        ),
        (
            "goose -dir db postgres host=db up",
            "OK   00007_orders.sql (41ms)",
            "goose: successfully migrated database to version: 9",
        ),
        ("python manage.py migrate", "  Applying shop.0007_orders... OK", None),
        ("rails db:migrate", "== 20260101 AddOrders: migrated (0.2s) ==", None),
        (
            "flyway migrate",
            'Migrating schema "public" to version "7 - orders"',
            "Successfully applied 2 migrations to schema",
        ),
        (
            "npx prisma migrate deploy",
            "Applying migration `7_orders`",
            "All migrations have been successfully applied.",
        ),
        ("npx knex migrate:latest", "Using environment: production", "Batch 3 run: 2 migrations"),
    ],
)
def test_a_step_of_a_migration_that_was_ended_is_not_its_end(line: str, step: str, end: str | None) -> None:
    program = line.removeprefix("npx ").split(maxsplit=1)[0]
    assert one(line, program, f"{step}\n{META}", cut_off=True).completed != "yes"
    if end is not None:
        assert one(line, program, f"{step}\n{end}\n" + META, cut_off=True).completed == "yes"
    assert one(line, program, step, exit=0).completed == "yes"


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("npm run dev", "VITE v6.0.7  ready in 412 ms\n\n  ➜  Local:   http://localhost:5173/"),
        ("python manage.py runserver", "Starting development server at http://127.0.0.1:8000/"),
        ("uvicorn app:app", "INFO:     Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)"),
        ("flask run", " * Running on http://127.0.0.1:5000"),
    ],
)
def test_a_server_that_said_it_is_ready_came_up_before_it_was_ended(line: str, output: str) -> None:
    start = line.split(maxsplit=1)[0]
    assert one(line, start, f"{output}\n{META}", cut_off=True).completed == "yes"
    assert (
        one(line, start, f"{output}\nError: listen EADDRINUSE :::5173\n{META}", cut_off=True).completed
        != "yes"
    )
    assert one(line, start, META, cut_off=True).completed != "yes"


def test_a_restart_whose_output_shows_completion_before_the_cut() -> None:
    output = "worker: stopped\nworker: started\n" + META
    assert (
        one("supervisorctl restart worker && sleep 100", "supervisorctl", output, cut_off=True).completed
        == "yes"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Command running in background with ID: b31f1b9. Output is being written to: /tmp/x",
        "Chunk ID: ab\nWall time: 30.0013 seconds\nProcess running with session ID 6593\nOutput:\nStarting",
        "Running in the background (down arrow to manage)",
    ],
)
def test_a_client_that_yields_shows_no_completion(text: str) -> None:
    assert one("systemctl restart api", "systemctl", text).completed != "yes"
    assert one("curl -s http://localhost:8000/health", "curl", text).state not in ("good", "bad")


def test_calls_without_a_result() -> None:
    for status in ("pending", "running"):
        outcome = one("systemctl restart api", "systemctl", "", status=status)
        assert outcome.completed != "yes"
        assert not outcome.failed
        assert not outcome.changed_nothing


def test_interrupted() -> None:
    outcome = one("systemctl restart api", "systemctl", "User aborted the command", interrupted=True)
    assert outcome.completed != "yes"
    assert not outcome.failed


def test_refused_by_the_person() -> None:
    text = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    outcome = one("systemctl restart api", "systemctl", "", status="error", error=text)
    assert outcome.reached == "no"
    assert outcome.changed_nothing


def test_exit_codes_in_clients_words() -> None:
    assert one("systemctl restart api", "systemctl", "Exit code 1\nJob for api.service failed").failed
    assert one("systemctl is-active api", "systemctl", "Exit code 3\ninactive").state == "bad"
    codex = "Chunk ID: x\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token count: 5\nOutput:\nactive\n"
    assert one("systemctl is-active api", "systemctl", codex).state == "good"
    assert (
        one("systemctl restart api", "systemctl", "<shellId: 0 completed with exit code 0>").completed
        == "yes"
    )


def test_detached() -> None:
    outcome = one("nohup python server.py --port 8000 > log 2>&1 & echo $!", "python", "4711\n", exit=0)
    assert outcome.completed != "yes"
    assert Target(kind="process", name="4711") in outcome.also
    named = one('nohup python server.py > log 2>&1 &\necho "PID: $!"', "python", "PID: 4712\n", exit=0)
    assert Target(kind="process", name="4712") in named.also


def test_names_in_output() -> None:
    restart = one("systemctl restart nginx && systemctl status nginx", "systemctl status", NGINX_UP, exit=0)
    assert Target(kind="process", name="4711") in restart.also
    apply = one(
        "kubectl apply -n shop -f k8s/",
        "kubectl",
        "deployment.apps/api configured\nservice/api created\n",
        exit=0,
    )
    assert Target(kind="k8s", name="deployment/api", namespace="shop") in apply.also
    up = one("docker compose up -d", "docker", " Container shop-web-1  Started\n", exit=0)
    assert any(target.name == "shop-web-1" for target in up.also)
    deploy = one("vercel --prod", "vercel", "✅  Production: https://shop.example.org [2s]", exit=0)
    assert Target(kind="url", name="https://shop.example.org") in deploy.also


def test_two_checks_in_one_line_keep_their_own_verdicts() -> None:
    line = "echo --- api ---; systemctl is-active api; echo --- web ---; systemctl is-active web"
    output = "--- api ---\nactive\n--- web ---\nfailed\n"
    commands = read(line)
    states = [o.state for o in judge(commands, output, exit=3, status="completed") if o.state]
    assert states == ["good", "bad"]


def test_complaints_in_a_log_are_not_the_command_s_own() -> None:
    line = "systemctl restart api && journalctl -u api -n 5"
    output = "Feb 10 api[1]: open /srv/x: Permission denied\nFeb 10 systemd[1]: api.service: Failed with result 'exit-code'.\n"
    assert not one(line, "systemctl restart", output, exit=0).failed
    assert one(line, "journalctl", output, exit=0).state == "bad"


def test_client_tools() -> None:
    edit = Command(
        words=("edit", "/etc/x.conf"), effect="edit", target=Target(kind="file", name="/etc/x.conf")
    )

    def of(output: str, **kwargs: Any) -> Outcome:
        return judge((edit,), output, exit=None, status=kwargs.pop("status", "completed"), **kwargs)[0]

    assert of("Edit applied successfully.").completed == "yes"
    assert of("The file /etc/x.conf has been updated.").completed == "yes"
    assert of("").completed == "yes"
    for error in ("Error: Could not find oldString in the file", "oldString not found in content",
                  "File has not been read yet. Read it first before writing to it.",
                  "Found 2 matches of the string to replace", "some other error"):  # fmt: skip
        outcome = of("", status="error", error=error)
        assert outcome.failed, error
        assert outcome.changed_nothing, error


@pytest.mark.parametrize(
    ("output", "code", "expected"),
    [
        ("Connection to web1 closed by remote host.", 255, True),
        ("client_loop: send disconnect: Broken pipe", 255, True),
        ("working\nclient_loop: send disconnect: Broken pipe\n", None, True),
        ("Timeout, server 10.0.0.1 not responding.", 255, True),
        ("step 1\nRead from remote host web1: Connection reset by peer", 255, True),
        ("step 1 done\nConnection closed by 10.0.0.1 port 22", 255, True),
        ("Connection closed by 10.0.0.1 port 22", 255, False),
        ("kex_exchange_identification: Connection closed by remote host\nConnection closed by 10.0.0.1 port 22", 255, False),
        ("ssh: connect to host web1 port 22: Connection refused", 255, False),
        ("ssh: connect to host web1 port 22: Connection timed out", 255, False),
        ("ssh: Could not resolve hostname web1: Name or service not known", 255, False),
        ("Permission denied (publickey).", 255, False),
        ("Connection to web1 closed.", 0, False),
        ("client_loop: send disconnect: Broken pipe\n" + "log line\n" * 20, 0, False),
        ("rsync: connection unexpectedly closed (4211 bytes received so far) [sender]", 12, True),
        ("rsync: connection unexpectedly closed (0 bytes received so far) [sender]", 255, False),
        ("error: lost connection to pod", 1, True),
        ("", 255, False),
        ("all fine", 0, False),
    ],
)  # fmt: skip
def test_connection_lost(output: str, code: int | None, expected: bool) -> None:
    assert connection_lost(output, code) is expected


def test_no_commands() -> None:
    assert judge((), "x", exit=0, status="completed") == ()


@pytest.mark.parametrize(
    "piece",
    ["a", "(", "Error: ", "ERROR ", "Connection refused\n", "0/1 ", "Up 3 minutes ", "\x1b[31m", "\r", "| ", "-> ",
     "Container a  Started\n", "Active: activating\n", "124 ", "port ", "http://a.b:1 ", "HTTP/1.1 ", "\"status\":", "é",
     "\n", " \n", "\t", "2026-01-05 09:00:00 x\n", "a-1 0/1 Running 0 ", "deployment.apps/api unchanged\n", "No changes. ", "loading "],
)  # fmt: skip
def test_hostile_output_stays_cheap(piece: str) -> None:
    output = (piece * (400_000 // len(piece) + 1))[:400_000]
    lines = ["systemctl restart a && systemctl status a && echo done", "kubectl get pods; kubectl apply -f x.yaml",
             "docker compose up -d && docker compose ps", "curl http://localhost/x; journalctl -u a; psql -c 'select 1'",
             "helm upgrade a b; terraform apply; fly deploy; ansible-playbook x.yml", "timeout 5 pm2 restart a; echo $?"]  # fmt: skip
    for line in lines:
        commands = read(line)
        began = time.perf_counter()
        judge(commands, output, exit=1, status="completed")
        assert time.perf_counter() - began < 1.0, line
    began = time.perf_counter()
    connection_lost(output, 255)
    assert time.perf_counter() - began < 0.5


def test_same_input_same_outcome() -> None:
    for line, code, output, _, _ in ROWS[:40]:
        commands = read(line)
        first = judge(commands, output, exit=code, status="completed")
        assert judge(commands, output, exit=code, status="completed") == first


def test_what_stands_after_a_wait_that_was_cut_off_may_not_have_begun() -> None:
    for line in ("sleep 600; systemctl restart api", "sleep 600 && systemctl restart api"):
        assert one(line, "systemctl", META, cut_off=True).reached == "unknown"
    assert one("cd /opt && systemctl restart api", "systemctl", META, cut_off=True).reached != "no"


def test_a_deploy_whose_rollout_was_cut_off_is_not_complete() -> None:
    line = "kubectl set image deployment/api api=api:2 && kubectl rollout status deployment/api"
    output = (
        'deployment.apps/api image updated\nWaiting for deployment "api" rollout to finish: 0 of 2\n' + META
    )
    assert one(line, "kubectl set", output, cut_off=True).completed == "unknown"
    status = one(line, "kubectl rollout", output, cut_off=True)
    assert status.reached == "yes"
    assert status.state is None
    assert status.in_progress


def test_lines_of_thousands_of_commands_stay_cheap() -> None:
    line = "; ".join(f"systemctl restart a{number} && echo ok{number}" for number in range(1500))
    commands = read(line)
    began = time.perf_counter()
    judge(commands, "\n".join(f"ok{number}" for number in range(1500)), exit=0, status="completed")
    judge(commands, "Permission denied\n" * 500, exit=1, status="completed")
    assert time.perf_counter() - began < 5.0


def test_of_a_cut_off_start_of_several_the_last_word_counts() -> None:
    output = " Container app-db-1  Started\n Container app-api-1  Starting\n" + META
    up = one("ssh web1 'docker compose up -d'", "docker", output, cut_off=True)
    assert up.completed != "yes"
    assert up.in_progress
    chain = "docker compose down && docker compose up -d"
    stopped = " Container app-api-1  Stopped\n Container app-api-1  Removed\n" + META
    assert one(chain, "docker compose up", stopped, cut_off=True).completed != "yes"
    assert one(chain, "docker compose down", stopped, cut_off=True).completed == "yes"


def test_a_limit_around_a_loop_is_that_of_the_check_inside() -> None:
    line = "timeout 30 bash -c 'until curl -sf localhost:8000/health; do sleep 2; done'; echo $?"
    outcome = one(line, "curl", "124\n", exit=0)
    assert outcome.expired
    assert outcome.state is None


def test_an_exit_code_that_one_program_has_is_its_own() -> None:
    line = "systemctl restart api && sleep 2 && curl -sf http://localhost:8000/health"
    assert one(line, "curl", "", exit=22).state == "bad"
    assert not one(line, "systemctl", "", exit=22).failed


def test_an_error_in_a_table_after_a_tick() -> None:
    output = "[PM2] [api](0) ✓\n│ 0 │ api │ errored │\n"
    assert one("pm2 restart all", "pm2", output, exit=0).failed


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("service gunicorn restart", " * Stopping gunicorn\n   ...done.\n * Starting gunicorn"),
        ("/etc/init.d/tomcat restart", "Stopping tomcat: [  OK  ]"),
        ("supervisorctl restart worker", "worker: stopped"),
        ("brew services restart redis", "==> Successfully stopped `redis`"),
        ("rabbitmqctl start_app", "Resetting node rabbit@mq2 ..."),
    ],
)
def test_a_stop_that_worked_is_half_of_a_restart(line: str, output: str) -> None:
    assert one(line, "", output, cut_off=True).completed != "yes"


@pytest.mark.parametrize(
    ("output", "exit"),
    [
        ("<h1>504 Gateway Time-out</h1>", 0),
        ('{"statusCode": 504}', 0),
        ("upstream request timeout", 0),
        ("curl: (28) Operation timed out after 30001 milliseconds with 0 bytes received", 28),
        ("curl: (52) Empty reply from server", 52),
    ],
)
def test_a_request_without_an_answer_may_go_on(output: str, exit: int) -> None:
    restart = one("curl -X POST https://paas.example.com/apps/crm/restart", "curl", output, exit=exit)
    assert restart.unanswered
    assert not restart.failed
    assert restart.completed == "unknown"


@pytest.mark.parametrize(
    ("output", "exit"), [('{"state": "restarted"}', 0), ("curl: (7) Failed to connect to paas port 443", 7)]
)
def test_an_answer_and_a_refusal_are_no_silence(output: str, exit: int) -> None:
    line = "curl -X POST https://paas.example.com/apps/crm/restart"
    assert not one(line, "curl", output, exit=exit).unanswered


@pytest.mark.parametrize(
    ("line", "output", "completed"),
    [
        ("docker restart a b c", "a\nb", False),
        ("docker restart a b c", "a\nb\nc", True),
        ("docker restart a", "a", True),
        ("pm2 restart all", "[PM2] [api](0) ✓", False),
        ("supervisorctl restart workers:*", "workers:0: stopped\nworkers:0: started", False),
        ("supervisorctl restart worker", "worker: stopped\nworker: started", True),
        ("ansible web -b -m service -a 'name=agent state=restarted'", "web1 | CHANGED => {}", False),
        ("gitlab-ctl restart", "ok: run: gitaly: (pid 911) 0s", False),
    ],
)
def test_of_several_that_were_to_start_some_are_not_all(line: str, output: str, completed: bool) -> None:
    assert (one(line, "", output, cut_off=True).completed == "yes") == completed


HOSTS = "for h in n1 n2 n3; do {}; done"


@pytest.mark.parametrize(
    ("line", "output", "code", "states"),
    [
        (HOSTS.format("ssh $h systemctl is-active x"), "active\nfailed\nactive", 0, ["good", "bad", "good"]),
        (HOSTS.format("ssh $h systemctl is-active x"), "active\nfailed", 3, ["bad", "unclear", "unclear"]),
        (HOSTS.format("ssh $h systemctl is-active x"), "active\nactive", 0, ["unclear"] * 3),
        (
            HOSTS.format("curl -so /dev/null -w '%{http_code}\\n' $h"),
            "200\n502\n200",
            0,
            ["good", "bad", "good"],
        ),
        (HOSTS.format("curl -so /dev/null -w '%{http_code}\\n' $h"), "200\n200", 0, ["unclear"] * 3),
        (
            HOSTS.format('curl -so /dev/null -w "$h %{http_code}\\n" http://$h/'),
            "n1 200\nn2 502\nn3 200",
            0,
            ["good", "bad", "good"],
        ),
        (
            HOSTS.format('curl -so /dev/null -w "%{http_code} $h\\n" http://$h/'),
            "200 n1\n200 n3",
            0,
            ["good", "unclear", "good"],
        ),
        (
            HOSTS.format('echo -n "$h: "; ssh $h systemctl is-active x'),
            "n1: active\nn2: failed\nn3: active",
            None,
            ["good", "bad", "good"],
        ),
        (
            HOSTS.format('echo -n "$h: "; ssh $h systemctl is-active x'),
            "n1: active\nn3: active",
            None,
            ["good", "unclear", "good"],
        ),
        (
            HOSTS.format('echo "$h: $(ssh $h systemctl is-active x)"'),
            "n1: active\nn2: activating\nn3: inactive",
            None,
            ["good", "unclear", "bad"],
        ),
        (
            HOSTS.format('echo "$h: $(ssh $h systemctl is-active x)"'),
            "n1: active\nssh: connect to host n2 port 22: No route to host\nn3: active",
            None,
            ["good", "bad", "good"],
        ),
        (
            HOSTS.format('echo "$h $(ssh $h curl -s localhost:8983/info | jq -r .version)"'),
            "n1 8.11.3\nn2 9.6.1\nn3 9.6.1",
            None,
            ["good", "good", "good"],
        ),
        (
            HOSTS.format('ssh $h "hostname; systemctl is-active x"'),
            "n1.example.org\nactive\nn2.example.org\nfailed\nn3.example.org\nactive",
            None,
            ["good", "bad", "good"],
        ),
        ("pdsh -w n1,n2 systemctl is-active x", "n2: failed\nn1: active", 0, ["good", "bad"]),
        (
            'pssh -i -H "n1 n2" systemctl is-active x',
            "[1] 09:00:00 [SUCCESS] n1\nactive\n[2] 09:00:01 [FAILURE] n2 Exited with error code 3\nfailed",
            0,
            ["good", "bad"],
        ),
        # An inline label without an answer is followed by the next one.
        (
            HOSTS.format('echo -n "$h "; ssh $h systemctl is-active x'),
            "n1 active\nn2 n3 active",
            None,
            ["good", "unclear", "good"],
        ),
        (
            HOSTS.format('printf "%s: " $h; ssh $h systemctl is-active x'),
            "n1: n2: n3: active",
            0,
            ["unclear", "unclear", "good"],
        ),
        (
            HOSTS.format('echo -n "$h "; ssh $h systemctl is-active x'),
            "n1 active\nn2 active\nn3 ",
            0,
            ["good", "good", "unclear"],
        ),
        (
            HOSTS.format('echo -n "node $h.example.org: "; ssh $h.example.org systemctl is-active x'),
            "node n1.example.org: active\nnode n2.example.org: node n3.example.org: active",
            None,
            ["good", "unclear", "good"],
        ),
        (
            HOSTS.format('echo -n "$h: "; ssh $h systemctl is-active x 2>/dev/null || echo UNREACHABLE'),
            "n1: active\nn2: UNREACHABLE\nn3: active",
            0,
            ["good", "bad", "good"],
        ),
        # Labels above.
        (
            HOSTS.format('echo "== $h"; ssh $h systemctl is-active x'),
            "== n1\nactive\n== n2\n== n3\nactive",
            0,
            ["good", "unclear", "good"],
        ),
        (
            HOSTS.format('echo "--- $h ---"; ssh $h systemctl is-active x'),
            "--- n1 ---\n--- n2 ---\nactive\n--- n3 ---",
            0,
            ["unclear", "good", "unclear"],
        ),
        (
            HOSTS.format('echo "== $h"; curl -s http://$h/health'),
            '== n1\n{"status":"ok"}\n== n2\n== n3\n{"status":"ok"}',
            0,
            ["good", "unclear", "good"],
        ),
        (
            HOSTS.format('echo "== $h"; ssh $h systemctl is-active x'),
            "== n1\nactive\n== n2\nssh: connect to host 10.0.0.2 port 22: No route to host\n== n3\nactive",
            0,
            ["good", "bad", "good"],
        ),
        (
            HOSTS.format('echo -n "$h "; ssh $h systemctl is-active x'),
            "n1 active\nn2 ssh: connect to host 10.0.0.2 port 22: Connection refused\nn3 active",
            0,
            ["good", "bad", "good"],
        ),
        (
            HOSTS.format('echo "== $h"; ssh $h systemctl is-active x'),
            "== n1\nactive\n== n2\nops@n2: Permission denied (publickey).\n== n3\nactive",
            0,
            ["good", "unclear", "good"],
        ),
        (
            HOSTS.format("echo \"== $h\"; ssh $h 'journalctl -u x -n 50 | grep -i error'"),
            "== n1\n== n2\n== n3",
            None,
            [None, None, None],
        ),
        (
            HOSTS.format("echo \"== $h\"; ssh $h 'ufw status | grep 443'"),
            "== n1\n443 ALLOW Anywhere\n== n2\n== n3\nssh: connect to host 10.0.0.3 port 22: Connection timed out",
            None,
            ["good", None, "bad"],
        ),
        (
            HOSTS.format('echo "== $h"; ssh $h test -f /run/x.pid'),
            "== n1\n== n2\n== n3",
            0,
            [None, None, "good"],
        ),
        # Windows.
        (
            "Invoke-Command -ComputerName n1,n2,n3 { Get-Service x } | ft Status,Name,PSComputerName",
            "Status   Name  PSComputerName\n------   ----  --------------\nRunning  x     n1\nStopped  x     n2\nRunning  x     n3",
            None,
            ["good", "bad", "good"],
        ),
        (
            "Invoke-Command -ComputerName n1,n2,n3 { Get-Service x } | ft Status,Name,PSComputerName",
            "Status   Name  PSComputerName\n------   ----  --------------\nRunning  x     n1\nRunning  x     n3",
            None,
            ["good", "unclear", "good"],
        ),
        (
            "Invoke-Command -ComputerName n1,n2 { Get-Service x } | ft Status,Name,PSComputerName",
            "Status   Name  PSComputerName\n------   ----  --------------\nRunning  x     n1\n[n2] Connecting to remote server n2 failed with the following error message : WinRM cannot complete the operation.",
            None,
            ["good", "bad"],
        ),
        (
            "foreach ($h in 'n1','n2') { Write-Host \"== $h\"; (Get-Service x -ComputerName $h).Status }",
            "== n1\nRunning\n== n2\nStopped",
            None,
            ["good", "bad"],
        ),
        (
            "Get-Service a,b -ComputerName n1",
            "Status Name\n------ ----\nRunning a\nStopped b",
            None,
            ["good", "bad"],
        ),
        (
            "'n1','n2' | % { Test-NetConnection $_ -Port 443 -InformationLevel Quiet }",
            "True\nFalse",
            None,
            ["good", "bad"],
        ),
        # Hosts that the line does not name: one command stands for all rounds.
        (
            'for h in $(cat hosts); do echo "== $h"; ssh $h systemctl is-active x; done',
            "== n1\nactive\n== n2\nactive",
            None,
            [None, "good"],
        ),
        (
            'for h in $(cat hosts); do echo "== $h"; ssh $h systemctl is-active x; done',
            "== n1\nactive\n== n2\n== n3\nactive",
            None,
            [None, "unclear"],
        ),
        (
            'for h in $(cat hosts); do echo "== $h"; ssh $h systemctl is-active x; done',
            "== n1\nactive\n== n2\nssh: connect to host n2 port 22: Connection timed out",
            None,
            [None, "bad"],
        ),
        (
            'while read h; do echo -n "$h: "; ssh -n $h systemctl is-active x; done < hosts',
            "n1: active\nn2: ssh: connect to host n2 port 22: Connection refused",
            None,
            ["bad"],
        ),
        # Programs that run on many hosts.
        ("pdsh -w n[1-3] systemctl is-active x", "n1: active\nn3: active", 0, ["good", "unclear", "good"]),
        (
            "pdsh -w n1,n2 systemctl is-active x",
            "n1: active\npdsh@ctl: n2: ssh exited with exit code 255",
            0,
            ["good", "bad"],
        ),
        (
            "clush -bw n[1-3] systemctl is-active x",
            "---------------\nn[1-2] (2)\n---------------\nactive\n---------------\nn3\n---------------\nfailed",
            0,
            ["good", "good", "bad"],
        ),
        (
            "clush -b -w n[1-3] systemctl is-active x",
            "---------------\nn[1,3] (2)\n---------------\nactive\nclush: n2: exited with exit code 255",
            0,
            ["good", "bad", "good"],
        ),
        (
            'ansible n1,n2 -m shell -a "systemctl is-active x"',
            "n1 | CHANGED | rc=0 >>\nactive",
            0,
            ["good", "unclear"],
        ),
        (
            'ansible web -m shell -a "systemctl is-active x"',
            'n1 | CHANGED | rc=0 >>\nactive\nn2 | UNREACHABLE! => {"unreachable": true}',
            4,
            ["bad"],
        ),
        (
            "salt -L n1,n2 cmd.run 'systemctl is-active x'",
            "n1:\n    active\nn2:\n    Minion did not return. [Not connected]",
            0,
            ["good", "bad"],
        ),
        ("salt 'n*' service.status x", "n1:\n    True\nn2:\n    Minion did not return.", 0, ["bad"]),
        ("salt 'n*' service.status x", "n1:\n    True\nn2:\n    True", 0, ["good"]),
        (
            "pssh -h hosts.txt -i systemctl is-active x",
            "[1] 09:00:00 [SUCCESS] n1\nactive\n[2] 09:00:01 [FAILURE] n2 Exited with error code 255",
            4,
            ["bad"],
        ),
        (
            "pssh -H n1 -H n2 systemctl is-active x",
            "[1] 09:00:00 [SUCCESS] n1\nactive\n[2] 09:00:01 [SUCCESS] n2\nactive",
            0,
            ["good", "good"],
        ),
    ],
)
def test_looks_at_several_hosts_see_their_own_part(
    line: str, output: str, code: int | None, states: list[str]
) -> None:
    commands = read(line)
    outcomes = judge(commands, output, exit=code, status="completed")
    looks = [outcome for command, outcome in zip(commands, outcomes, strict=True) if command.check_strength]
    assert [outcome.state for outcome in looks] == states


def test_the_words_quoted_of_a_host_name_it() -> None:
    line = HOSTS.format('curl -so /dev/null -w "$h %{http_code}\\n" http://$h/')
    outcomes = judge(read(line), "n1 200\nn2 502\nn3 200", exit=None, status="completed")
    assert [outcome.quote for outcome in outcomes] == ["n1 200", "n2 502", "n3 200"]


@pytest.mark.parametrize(
    ("line", "output", "code", "failed"),
    [
        (
            HOSTS.format("ssh $h systemctl restart x"),
            "ssh: connect to host n2 port 22: Connection refused",
            0,
            [False, True, False],
        ),
        (
            HOSTS.format("ssh $h systemctl restart x"),
            "ssh: connect to host n1 port 22: No route to host\nssh: Could not resolve hostname n3: Name or service not known",
            255,
            [True, False, True],
        ),
        (
            'ansible n1,n2 -m service -a "name=x state=restarted"',
            'n1 | CHANGED => {"changed": true}\nn2 | UNREACHABLE! => {"msg": "Failed to connect"}',
            4,
            [False, True],
        ),
        (
            "ssh n1 systemctl restart x",
            "ssh: connect to host 10.0.0.7 port 22: Connection refused",
            255,
            [True],
        ),
        (
            "for h in n1 n2; do scp a.conf root@$h:/etc/a.conf; done",
            "a.conf 100%\nssh: connect to host n2 port 22: No route to host\nlost connection",
            0,
            [False, True],
        ),
        (
            "for h in n1 n2; do rsync -a conf/ root@$h:/etc/a/; done",
            "ssh: connect to host n2 port 22: No route to host\nrsync: connection unexpectedly closed (0 bytes received so far) [sender]",
            0,
            [False, True],
        ),
        (
            'for h in n1 n2; do echo "--- $h"; ssh $h systemctl restart x; done',
            "--- n1\nssh: connect to host 10.0.0.7 port 22: Connection refused\n--- n2",
            0,
            [False, True, False, False],
        ),
    ],
)
def test_of_several_hosts_the_named_one_was_not_reached(
    line: str, output: str, code: int, failed: list[bool]
) -> None:
    outcomes = judge(read(line), output, exit=code, status="completed")
    assert [outcome.failed for outcome in outcomes] == failed


@pytest.mark.parametrize(
    ("output", "code", "state"),
    [
        ("curl: (56) CONNECT tunnel failed, response 403", 56, None),
        ("curl: (7) Failed to connect to proxy.corp port 3128: Connection refused", 7, None),
        ("curl: (7) Failed to connect to api.example.com port 443: Connection refused", 7, "bad"),
        ("HTTP/1.1 200 Connection established\n\nHTTP/1.1 503 Service Unavailable", 0, "bad"),
        ("HTTP/1.1 200 Connection established\n\nHTTP/1.1 200 OK", 0, "good"),
    ],
)
def test_a_proxy_that_refuses_says_nothing_of_what_is_behind_it(
    output: str, code: int, state: str | None
) -> None:
    (outcome,) = judge(
        read("curl -si -x http://proxy.corp:3128 https://api.example.com/health"),
        output,
        exit=code,
        status="completed",
    )
    assert outcome.state == state


@pytest.mark.parametrize(
    ("line", "output", "code", "told"),
    [
        ("Get-Service billing", "Status   Name      DisplayName\n------   ----      -----------\nRunning  billing   Billing", 0, "good"),
        ("Get-Service billing", "Status   Name      DisplayName\n------   ----      -----------\nStopped  billing   Billing", 0, "bad"),
        ("sc query billing", "SERVICE_NAME: billing\n        STATE              : 4  RUNNING", 0, "good"),
        ("sc query billing", "SERVICE_NAME: billing\n        STATE              : 1  STOPPED", 0, "bad"),
        ("net start billing", "The billing service is starting.\nThe billing service was started successfully.", 0, "done"),
        ("net start billing", "The billing service could not be started.", 2, "failed"),
        ("iisreset", "Attempting stop...\nInternet services successfully stopped\nAttempting start...\nInternet services successfully restarted", 0, "done"),
        ("Restart-Service billing", "Restart-Service : Cannot find any service with service name 'billing'.", 1, "failed"),
        ("Restart-Service billing", "", 0, "done"),
    ],
)  # fmt: skip
def test_what_windows_says_of_services(line: str, output: str, code: int, told: str) -> None:
    (outcome,) = judge(read(line), output, exit=code, status="completed")
    shown = outcome.state or ("failed" if outcome.failed else "done" if outcome.completed == "yes" else "")
    assert shown == told
