"""Which names are one thing: a table of what a session teaches, a command, a target, and whether they meet."""

from __future__ import annotations

import time
from typing import Any

import pytest

from sessionlens.shell.command import Command, Outcome
from sessionlens.targets import (
    Neighbourhoods,
    Target,
    effective_host,
    names_only_address,
    path_form,
    ports_in,
)


def t(text: str) -> Target:
    """``kind name @host ctx=… ns=…``; ``_`` stands for an empty name, ``·`` for a space in it."""
    kind, name, *rest = text.split(" ")
    fields: dict[str, str] = {}
    for part in rest:
        key, value = ("host", part[1:]) if part.startswith("@") else tuple(part.split("=", 1))
        fields[{"ctx": "context", "ns": "namespace"}.get(key, key)] = value
    return Target(kind=kind, name="" if name == "_" else name.replace("·", " "), **fields)  # type: ignore[arg-type]


def c(target: str, words: str = "x", effect: str = "check", **fields: Any) -> Command:
    return Command(words=tuple(words.split()), effect=effect, target=t(target), **fields)  # type: ignore[arg-type]


UNIT = """[Unit]
Description=x
[Service]
ExecStart=/opt/sglang/bin/python -m sglang.launch_server --model-path /data/models/kimi --port 8000 --host 0.0.0.0
StandardOutput=append:/var/log/kimi-server.log
EnvironmentFile=/etc/default/kimi
"""
UNIT_CHANGE = (
    "file /etc/systemd/system/sglang-kimi.service @10.20.30.140",
    "tee x",
    "edit",
    {"writes": UNIT},
)
RUN = ("container web @h", "docker run -d --name web -p 8080:80 acme/web", "start", {})
SERVE = (
    "process vllm @h",
    "python -m vllm.entrypoints.openai.api_server --port 8000",
    "start",
    {"detached": True},
)
UP = ("compose web @h ns=shop", "docker compose up -d web", "start", {})
VHOST = ("file /etc/nginx/conf.d/shop.conf @h", "tee x", "edit",
         {"writes": "server {\n  listen 8443 ssl;\n  server_name shop.example.org www.shop.example.org;\n}"})  # fmt: skip
SYSCTL = (
    "file /etc/sysctl.d/99-net.conf @h",
    "tee x",
    "edit",
    {"writes": "net.core.somaxconn = 4096\nvm.swappiness=10\n"},
)
FORWARD = (
    "k8s service/api ns=shop",
    "kubectl -n shop port-forward svc/api 9000:80",
    "start",
    {"detached": True},
)
PID = ("service api @h", "systemctl restart api", "restart", {"out": (t("process 4711 @h"),)})
APPLY = ("k8s k8s/all.yaml ns=shop", "kubectl -n shop apply -f k8s/all.yaml", "deploy",
         {"out": (t("k8s deployment/api ns=shop"), t("k8s service/api ns=shop"))})  # fmt: skip
UPDATE = (
    "database shop @db1",
    "psql -h db1 shop -c UPDATE·orders",
    "write_data",
    {"writes": "update orders set state = 1 where id = 3"},
)
ALTER = (
    "database shop @db1",
    "psql -h db1 shop",
    "configure",
    {"writes": "alter system set work_mem = '64MB'"},
)
DEPLOY = ("cloud shop", "vercel --prod", "deploy", {"out": (t("url https://shop.example.org"),)})
LINK = (
    "file /etc/nginx/sites-enabled/shop @h",
    "ln -s /etc/nginx/sites-available/shop /etc/nginx/sites-enabled/shop",
    "create",
    {},
)
MANIFEST = ("file manifests/thing.yaml", "write x", "edit",
            {"writes": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: api\nspec: {}\n"})  # fmt: skip

REBOOT = ("host web1", "reboot", "reboot", {})

# taught, check: target and words, target of the change, expected kind (None: they must not meet)
ROWS: list[tuple[list[Any], str, str, str, str | None]] = [
    # services by their own names
    ([], "service nginx @h", "systemctl status nginx", "service nginx @h", "same"),
    ([], "service nginx.service @h", "systemctl status nginx.service", "service nginx @h", "same"),
    ([], "service Nginx @h", "systemctl status Nginx", "service nginx @h", "same"),
    ([], "service nginx @root@h", "systemctl status nginx", "service nginx @h", "same"),
    ([], "service nginx @H.example.org", "systemctl status nginx", "service nginx @h", "same"),
    ([], "service nginx @h2", "systemctl status nginx", "service nginx @h", None),
    ([], "service nginx", "systemctl status nginx", "service nginx @h", None),
    ([], "service nginx @10.0.0.2", "systemctl status nginx", "service nginx @10.0.0.1", None),
    ([], "service api @h", "systemctl status api", "service api-gateway @h", None),
    ([], "service api-gateway @h", "systemctl status api-gateway", "service api @h", None),
    ([], "service web2 @h", "systemctl status web2", "service web @h", None),
    ([], "service web @h", "systemctl status web", "service web2 @h", None),
    ([], "service worker@1 @h", "systemctl status worker@1", "service worker@2 @h", None),
    ([], "service worker@1 @h", "systemctl status worker@1", "file /etc/systemd/system/worker@.service @h", "neighbour"),
    ([], "service sshd @h", "systemctl status sshd", "service ssh @h", "neighbour"),
    ([], "service httpd @h", "systemctl status httpd", "service apache2 @h", "neighbour"),
    ([], "service mariadb @h", "systemctl status mariadb", "service mysql @h", "neighbour"),
    ([], "service postgresql@15-main @h", "systemctl status x", "service postgresql @h", "neighbour"),
    ([], "service _ @h", "systemctl --failed", "service api @h", "neighbour"),
    ([], "service _ @h2", "systemctl --failed", "service api @h", None),
    # unit files, drop-ins, logs, processes
    ([], "service sglang-kimi @h", "systemctl status", "file /etc/systemd/system/sglang-kimi.service @h", "neighbour"),
    ([], "service sglang-kimi @h2", "systemctl status", "file /etc/systemd/system/sglang-kimi.service @h", None),
    ([], "service sglang @h", "systemctl status", "file /etc/systemd/system/sglang-kimi.service @h", None),
    ([], "service api @h", "systemctl status", "file /etc/systemd/system/api.service.d/override.conf @h", "neighbour"),
    ([], "service api @h", "systemctl status", "file /lib/systemd/system/api.service @h", "neighbour"),
    ([], "service backup @h", "systemctl status", "file /etc/systemd/system/backup.timer @h", "neighbour"),
    ([], "service syncthing", "systemctl --user status", "file ~/.config/systemd/user/syncthing.service", "neighbour"),
    ([], "file /var/log/api/error.log @h", "tail", "service api @h", "neighbour"),
    ([], "file /var/log/api.log @h", "tail", "service api @h", "neighbour"),
    ([], "file /var/log/nginx/error.log @h", "tail", "file /etc/nginx/nginx.conf @h", "neighbour"),
    ([], "file /var/log/api-gateway/error.log @h", "tail", "service api @h", None),
    ([], "file /var/log/syslog @h", "tail", "service api @h", None),
    ([], "process api @h", "pgrep api", "service api @h", "neighbour"),
    ([], "process api-gateway @h", "pgrep", "service api @h", None),
    ([], "process _ @h", "ps aux", "service api @h", "neighbour"),
    ([], "process nginx @h", "pgrep nginx", "file /etc/nginx/conf.d/x.conf @h", "neighbour"),
    ([UNIT_CHANGE], "process sglang.launch_server @10.20.30.140", "pgrep -f", UNIT_CHANGE[0], "neighbour"),
    ([UNIT_CHANGE], "process [s]glang @10.20.30.140", "ps", "service sglang-kimi @10.20.30.140", "neighbour"),
    ([UNIT_CHANGE], "process vllm @10.20.30.140", "pgrep -f vllm", "service sglang-kimi @10.20.30.140", None),
    ([UNIT_CHANGE], "process sglang.launch_server @h9", "pgrep -f", "service sglang-kimi @10.20.30.140", None),
    ([UNIT_CHANGE], "file /var/log/kimi-server.log @10.20.30.140", "tail", "service sglang-kimi @10.20.30.140", "neighbour"),
    ([UNIT_CHANGE], "file /var/log/other-server.log @10.20.30.140", "tail", "service sglang-kimi @10.20.30.140", None),
    ([PID], "process 4711 @h", "ps -p 4711", "service api @h", "neighbour"),
    ([PID], "process 4712 @h", "ps -p 4712", "service api @h", None),
    ([PID], "process 4711 @h2", "ps -p 4711", "service api @h", None),
    # ports and addresses
    ([UNIT_CHANGE], "url http://localhost:8000/health @10.20.30.140", "curl", UNIT_CHANGE[0], "neighbour"),
    ([UNIT_CHANGE], "url http://10.20.30.140:8000/health", "curl", "service sglang-kimi @10.20.30.140", "neighbour"),
    ([UNIT_CHANGE], "url 10.20.30.140:8000/v1/models", "curl", "service sglang-kimi @10.20.30.140", "neighbour"),
    ([UNIT_CHANGE], "url http://10.20.30.140:8001/health", "curl", "service sglang-kimi @10.20.30.140", None),
    ([UNIT_CHANGE], "url http://10.20.30.141:8000/health", "curl", "service sglang-kimi @10.20.30.140", None),
    ([UNIT_CHANGE], "url http://localhost:8000/health", "curl", "service sglang-kimi @10.20.30.140", None),
    ([UNIT_CHANGE], "network 8000 @10.20.30.140", "ss -ltn", "service sglang-kimi @10.20.30.140", "neighbour"),
    ([UNIT_CHANGE], "network :8000 @10.20.30.140", "lsof", "service sglang-kimi @10.20.30.140", "neighbour"),
    ([UNIT_CHANGE], "network 80 @10.20.30.140", "ss -ltn", "service sglang-kimi @10.20.30.140", None),
    ([SERVE], "url http://localhost:8000/v1/models @h", "curl", SERVE[0], "neighbour"),
    ([SERVE], "url http://localhost:8080/v1/models @h", "curl", SERVE[0], None),
    ([SERVE], "process api_server @h", "pgrep -f api_server", SERVE[0], "neighbour"),
    ([], "url http://localhost:9999/ @h", "curl", "service api @h", None),
    ([], "url http://localhost/ @h", "curl -I", "service nginx @h", "neighbour"),
    ([], "url https://localhost/ @h", "curl -kI", "file /etc/nginx/nginx.conf @h", "neighbour"),
    ([], "url http://localhost:8000/ @h", "curl -I", "service nginx @h", None),
    ([], "network 22 @h", "nc -z", "file /etc/ssh/sshd_config @h", "neighbour"),
    ([], "network 5432 @h", "nc -z", "service postgresql @h", "neighbour"),
    ([VHOST], "url https://shop.example.org/", "curl", VHOST[0], "neighbour"),
    ([VHOST], "url https://www.shop.example.org/login", "curl", VHOST[0], "neighbour"),
    ([VHOST], "url https://blog.example.org/", "curl", VHOST[0], None),
    ([VHOST], "url https://localhost:8443/ @h", "curl", VHOST[0], "neighbour"),
    ([], "url https://shop.example.org/", "curl", "file /etc/nginx/sites-available/shop.example.org @h", "neighbour"),
    ([], "url https://shop.example.org/", "curl", "file /etc/nginx/sites-available/blog.example.org @h", None),
    ([DEPLOY], "url https://shop.example.org", "curl", DEPLOY[0], "neighbour"),
    ([DEPLOY], "url https://shop.example.org/api/health", "curl", DEPLOY[0], "neighbour"),
    ([DEPLOY], "url https://other.example.org", "curl", DEPLOY[0], None),
    # configuration files and their daemons
    ([], "service nginx @h", "nginx -t", "file /etc/nginx/nginx.conf @h", "neighbour"),
    ([], "service nginx", "nginx -t", "file /etc/nginx/nginx.conf @h", None),
    ([], "service apache2 @h", "apachectl configtest", "file /etc/nginx/nginx.conf @h", None),
    ([], "file /etc/nginx/nginx.conf @h", "nginx -t", "file /etc/nginx/conf.d/x.conf @h", "neighbour"),
    ([], "service haproxy @h", "systemctl is-active haproxy", "file /etc/haproxy/haproxy.cfg @h", "neighbour"),
    ([], "file /etc/haproxy/haproxy.cfg @h", "haproxy -c -f /etc/haproxy/haproxy.cfg", "file /etc/haproxy/haproxy.cfg @h", "same"),
    ([], "service ssh @h", "sshd -t", "file /etc/ssh/sshd_config @h", "neighbour"),
    ([], "service postgresql @h", "systemctl status", "file /etc/postgresql/15/main/postgresql.conf @h", "neighbour"),
    ([], "service redis-server @h", "systemctl status", "file /etc/redis/redis.conf @h", "neighbour"),
    ([], "database 0 @h", "redis-cli -h h ping", "file /etc/redis/redis.conf @h", "neighbour"),
    ([], "database app @h", "psql -h h app -c show·work_mem", "file /etc/postgresql/15/main/postgresql.conf @h", "neighbour"),
    ([], "database app @h", "mysql -h h app", "file /etc/postgresql/15/main/postgresql.conf @h", None),
    ([], "database app @h", "psql -h h -c select·1", "service postgresql @h", "neighbour"),
    ([], "service docker @h", "systemctl status docker", "file /etc/docker/daemon.json @h", "neighbour"),
    ([], "service prometheus @h", "systemctl status", "file /opt/prometheus/prometheus.yml @h", "neighbour"),
    ([], "service grafana-server @h", "systemctl status", "file /etc/grafana/grafana.ini @h", "neighbour"),
    ([], "service api @h", "systemctl status api", "file /etc/default/api @h", "neighbour"),
    ([], "service api @h", "systemctl status api", "file /etc/api/config.yml @h", "neighbour"),
    ([], "service api @h", "systemctl status api", "file /opt/api/.env @h", "neighbour"),
    ([], "service api @h", "systemctl status api", "file /opt/api-gateway/.env @h", None),
    ([], "service worker @h", "supervisorctl status worker", "file /etc/supervisor/conf.d/worker.conf @h", "neighbour"),
    ([], "cron _ @h", "crontab -l", "cron _ @h", "same"),
    ([], "service cron @h", "systemctl status cron", "file /etc/crontab @h", "neighbour"),
    ([], "file /data @h", "findmnt /data", "file /etc/fstab @h", "neighbour"),
    ([], "network eth0 @h", "ip addr show eth0", "file /etc/netplan/01.yaml @h", "neighbour"),
    ([], "url example.org", "dig example.org", "file /etc/resolv.conf", "neighbour"),
    ([], "service ufw @h", "ufw status", "network ufw @h", "neighbour"),
    ([], "service php8.2-fpm @h", "systemctl status", "file /etc/php/8.2/fpm/pool.d/www.conf @h", "neighbour"),
    ([], "container grafana @h", "docker logs grafana", "file /etc/grafana/grafana.ini @h", "neighbour"),
    ([], "file /etc/nginx/mime.types @h", "cat", "file /etc/nginx/nginx.conf @h", None),
    ([], "file /opt/api/config.yml @h", "cat", "file /opt/api/.env @h", None),
    ([], "service nginx @h", "nginx -t", "file /etc/logrotate.d/nginx @h", None),
    ([], "service backup @h", "systemctl status backup", "file /etc/cron.d/backup @h", None),
    ([], "cron _ @h", "crontab -l", "file /etc/cron.d/backup @h", "neighbour"),
    # kernel settings
    ([SYSCTL], "unknown net.core.somaxconn @h", "sysctl net.core.somaxconn", SYSCTL[0], "neighbour"),
    ([SYSCTL], "file /proc/sys/net/core/somaxconn @h", "cat /proc/sys/net/core/somaxconn", SYSCTL[0], "neighbour"),
    ([SYSCTL], "host h", "sysctl -a", SYSCTL[0], "neighbour"),
    ([SYSCTL], "unknown kernel.pid_max @h", "sysctl kernel.pid_max", SYSCTL[0], None),
    ([SYSCTL], "unknown net.core.somaxconn @h2", "sysctl net.core.somaxconn", SYSCTL[0], None),
    # files
    ([], "file /etc/app.yml @h", "cat", "file /etc/app.yml @h", "same"),
    ([], "file '/etc//app.yml' @h", "cat", "file /etc/app.yml @h", "same"),
    ([], "file /etc/app.yml @h2", "cat", "file /etc/app.yml @h", None),
    ([], "file /etc/app.yml", "cat", "file /etc/app.yml @h", None),
    ([], "file config/app.yml @h", "cat", "file /srv/shop/config/app.yml @h", "neighbour"),
    ([], "file /etc/app.yaml @h", "cat", "file /etc/app.yml @h", None),
    ([], "file /srv/shop @h", "ls -la /srv/shop", "file /srv/shop/app.yml @h", "neighbour"),
    ([], "file /srv/shop/index.html @h", "cat", "file /srv/shop/ @h", "neighbour"),
    ([], "file /etc @h", "ls /etc", "file /etc/app.yml @h", None),
    ([], "file ~/app/x.yml @h", "cat", "file /home/ana/app/x.yml @h", "neighbour"),
    ([], "file /etc/nginx/sites-enabled/* @h", "cat", "file /etc/nginx/sites-enabled/shop @h", "neighbour"),
    ([LINK], "file /etc/nginx/sites-available/shop @h", "cat", LINK[0], "neighbour"),
    # containers and compose
    ([], "container shop-web-1 @h", "docker logs shop-web-1", "compose web @h ns=shop", "neighbour"),
    ([], "container shop_web_1 @h", "docker logs shop_web_1", "compose web @h ns=shop", "neighbour"),
    ([], "container shop-web-1 @h", "docker logs shop-web-1", "compose web @h", "neighbour"),
    ([], "container blog-web-1 @h", "docker logs", "compose web @h ns=shop", None),
    ([], "container shop-web2-1 @h", "docker logs", "compose web @h ns=shop", None),
    ([], "container shop-my-api-1 @h", "docker logs", "compose my-api @h ns=shop", "neighbour"),
    ([], "container shop-my-api-1 @h", "docker logs", "compose api @h ns=shop", None),
    ([], "container shop-web-1 @h2", "docker logs", "compose web @h ns=shop", None),
    ([UP], "compose _ @h", "docker compose ps", UP[0], "neighbour"),
    ([UP], "compose _ @h2", "docker compose ps", UP[0], None),
    ([UP], "compose api @h ns=shop", "docker compose logs api", UP[0], None),
    ([UP], "container _ @h", "docker ps", UP[0], "neighbour"),
    ([RUN], "url http://localhost:8080/ @h", "curl", RUN[0], "neighbour"),
    ([RUN], "url http://localhost:80/ @h", "curl", RUN[0], None),
    ([RUN], "url http://h:8080/", "curl", RUN[0], "neighbour"),
    ([], "container web @h", "docker inspect web", "container web @h", "same"),
    ([], "container web-proxy @h", "docker inspect web-proxy", "container web @h", None),
    ([], "container abcdef012345 @h", "docker logs", "container abcdef0123456789abcdef @h", "neighbour"),
    # cluster
    ([], "k8s deployment/api ns=shop", "kubectl rollout status deployment/api", "k8s deployment/api ns=shop", "same"),
    ([], "k8s deploy/api ns=shop", "kubectl rollout status deploy/api", "k8s deployment/api ns=shop", "same"),
    ([], "k8s deployment/api ns=blog", "kubectl rollout status", "k8s deployment/api ns=shop", None),
    ([], "k8s deployment/api", "kubectl rollout status", "k8s deployment/api ns=shop", None),
    ([], "k8s deployment/api ctx=a ns=x", "kubectl rollout status", "k8s deployment/api ctx=b ns=x", None),
    ([], "k8s pod/api-5d9f8c7b6-x1z2y ns=shop", "kubectl get pod", "k8s deployment/api ns=shop", "neighbour"),
    ([], "k8s pod/api-5d9f-x1 ns=shop", "kubectl logs", "k8s deployment/api ns=shop", "neighbour"),
    ([], "k8s pod/api-gateway-5d9f8c7b6-x1z2y ns=shop", "kubectl get pod", "k8s deployment/api ns=shop", None),
    ([], "k8s pod/api-5d9f8c7b6-x1z2y ns=blog", "kubectl get pod", "k8s deployment/api ns=shop", None),
    ([], "k8s pod/db-0 ns=shop", "kubectl logs", "k8s statefulset/db ns=shop", "neighbour"),
    ([], "k8s pod/agent-x7k2p ns=shop", "kubectl logs", "k8s daemonset/agent ns=shop", "neighbour"),
    ([], "k8s pod/ ns=shop", "kubectl get pods -n shop", "k8s deployment/api ns=shop", "neighbour"),
    ([], "k8s pod ns=shop", "kubectl get pods -n shop", "k8s deployment/api ns=shop", "neighbour"),
    ([], "k8s pod ns=blog", "kubectl get pods -n blog", "k8s deployment/api ns=shop", None),
    ([], "k8s pod", "kubectl get pods -A", "k8s deployment/api ns=shop", "neighbour"),
    ([], "k8s pod ns=shop", "kubectl get pods -l app=api", "k8s deployment/api ns=shop", "neighbour"),
    ([], "k8s pod ns=shop", "kubectl get pods -l app=web", "k8s deployment/api ns=shop", None),
    ([], "k8s node/n1", "kubectl get nodes", "k8s deployment/api", None),
    ([], "k8s service/api ns=shop", "kubectl get svc api", "k8s deployment/api ns=shop", "neighbour"),
    ([], "k8s deployment/api ns=shop", "kubectl rollout status", "k8s configmap/api-config ns=shop", "neighbour"),
    ([], "k8s deployment/web ns=shop", "kubectl rollout status", "k8s configmap/api-config ns=shop", None),
    ([APPLY], "k8s deployment/api ns=shop", "kubectl rollout status", APPLY[0], "neighbour"),
    ([APPLY], "k8s deployment/web ns=shop", "kubectl rollout status", APPLY[0], None),
    ([], "k8s deployment/api ns=shop", "kubectl rollout status", "k8s k8s/api.yaml", "neighbour"),
    ([MANIFEST], "k8s deployment/api", "kubectl rollout status", "file manifests/thing.yaml", "neighbour"),
    ([], "k8s deployment/api ns=shop", "kubectl rollout status", "k8s api ns=shop", "neighbour"),
    ([], "k8s pod/api-5d9f8c7b6-x1z2y ns=shop", "kubectl get pod", "k8s api ns=shop", "neighbour"),
    ([], "k8s deployment/api-worker ns=shop", "kubectl rollout status", "k8s api ns=shop", "neighbour"),
    ([], "k8s deployment/web ns=shop", "kubectl rollout status", "k8s api ns=shop", None),
    ([], "k8s api ns=shop", "helm status api", "k8s api ns=shop", "same"),
    ([], "k8s api-gateway ns=shop", "helm status api-gateway", "k8s api ns=shop", None),
    ([FORWARD], "url http://localhost:9000/health", "curl", "k8s service/api ns=shop", "neighbour"),
    ([FORWARD], "url http://localhost:9000/health", "curl", "k8s deployment/api ns=shop", None),
    # databases
    ([], "database shop @db1", "psql -h db1 shop", "database shop @db1", "same"),
    ([], "database blog @db1", "psql -h db1 blog", "database shop @db1", None),
    ([], "database shop @db2", "psql -h db2 shop", "database shop @db1", None),
    ([], "database _ @db1", "psql -h db1", "database shop @db1", "neighbour"),
    ([UPDATE], "database shop @db1", "psql -h db1 shop", UPDATE[0], "same"),
    ([ALTER], "service postgresql @db1", "systemctl is-active postgresql", ALTER[0], "neighbour"),
    ([ALTER], "service mysql @db1", "systemctl is-active mysql", ALTER[0], None),
    # the rest
    ([], "host web1", "ping web1", "host web1", "same"),
    ([REBOOT], "host _ @web1", "uptime", "host web1", "same"),
    ([REBOOT], "service nginx @web1", "systemctl status nginx", "host web1", "neighbour"),
    ([], "service nginx @web1", "systemctl status nginx", "host web1", None),
    ([], "service nginx @web2", "systemctl status nginx", "host web1", None),
    ([], "cloud shop", "fly status -a shop", "cloud shop", "same"),
    ([], "cloud shop-eu", "fly status -a shop-eu", "cloud shop", None),
    ([], "cloud resize ctx=a", "aws lambda get-function", "cloud resize ctx=b", None),
    ([], "repository main", "git log origin/main", "repository main", "same"),
    ([], "repository dev", "git log origin/dev", "repository main", None),
    ([], "package nginx @h", "dpkg -l nginx", "package nginx @h", "same"),
    ([], "package nginx-extras @h", "dpkg -l", "package nginx @h", None),
]  # fmt: skip


def teach(taught: list[Any]) -> Neighbourhoods:
    known = Neighbourhoods()
    for target, words, effect, extra in taught:
        fields = dict(extra)
        shown = fields.pop("out", ())
        known.learn(c(target, words, effect, **fields), Outcome(also=shown))
    return known


@pytest.mark.parametrize(
    ("taught", "checked", "words", "target", "expected"),
    ROWS,
    ids=[f"{number}-{row[1]}~{row[3]}" for number, row in enumerate(ROWS)],
)
def test_match(taught: list[Any], checked: str, words: str, target: str, expected: str | None) -> None:
    command = c(checked, words)
    command = Command(**{**{f: getattr(command, f) for f in command.__struct_fields__},
                         "words": tuple(word.replace("·", " ") for word in command.words)})  # fmt: skip
    found = teach(taught).match(command, t(target))
    assert (found.kind if found else None) == expected, found
    if found is not None:
        assert found.reason
        assert (found.kind == "same") <= (found.confidence == "high" or not t(target).name)


def test_table_is_long() -> None:
    assert len(ROWS) >= 150
    assert sum(row[4] is None for row in ROWS) >= 50


def test_a_query_of_another_table_is_no_check() -> None:
    known = teach([UPDATE])
    other = Command(words=("psql", "-h", "db1", "shop", "-c", "select count(*) from customers"), effect="check",
                    target=t("database shop @db1"))  # fmt: skip
    same = Command(words=("psql", "-h", "db1", "shop", "-c", "select state from public.orders where id=3"),
                   effect="check", target=t("database shop @db1"))  # fmt: skip
    meta = Command(
        words=("psql", "-c", "select * from pg_stat_activity"), effect="check", target=t("database shop @db1")
    )
    assert known.match(other, t("database shop @db1")) is None
    assert known.match(same, t("database shop @db1")) is not None
    assert known.match(meta, t("database shop @db1")) is not None


def test_current_namespace_is_learned() -> None:
    known = teach([("k8s _", "kubectl config set-context --current --namespace=shop", "configure", {})])
    assert (
        known.match(c("k8s deployment/api", "kubectl get deploy api"), t("k8s deployment/api ns=shop"))
        is not None
    )


def test_what_was_never_reached_teaches_nothing() -> None:
    known = Neighbourhoods()
    target, words, effect, extra = RUN
    known.learn(c(target, words, effect, **extra), Outcome(reached="no"))
    assert known.match(c("url http://localhost:8080/ @h", "curl"), t(target)) is None


def test_outcome_adds_names() -> None:
    known = Neighbourhoods()
    listed = c("k8s pod ns=blog", "kubectl get pods")
    assert known.match(listed, t("process 99 @h")) is None
    assert known.match(listed, t("process 99 @h"), Outcome(also=(t("process 99 @h"),))) is not None


def test_names_lead_from_a_unit_file_to_its_service_and_port() -> None:
    names = teach([UNIT_CHANGE]).names(t(UNIT_CHANGE[0]))
    assert names[0] == t(UNIT_CHANGE[0])
    assert t("service sglang-kimi @10.20.30.140") in names
    assert t("network 8000 @10.20.30.140") in names
    assert t("file /var/log/kimi-server.log @10.20.30.140") in names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("url http://localhost:8000/x", True), ("network 8000", True), ("network :8000", True),
        ("network 10.0.0.1", True), ("service nginx", False), ("network eth0", False), ("process 8000", False),
        ("process vllm", False), ("file /etc/x", False), ("network ufw", False),
    ],
)  # fmt: skip
def test_names_only_address(text: str, expected: bool) -> None:
    assert names_only_address(t(text)) is expected


def test_effective_host() -> None:
    assert effective_host(t("url http://localhost:8000/x @gpu7")) == "gpu7"
    assert effective_host(t("url http://10.0.0.1:8000/x @gpu7")) == "10.0.0.1"
    assert effective_host(t("service x @root@GPU7.")) == "gpu7"
    assert effective_host(t("service x @localhost")) is None
    assert effective_host(t("host web1")) == "web1"


@pytest.mark.parametrize(
    ("line", "container", "expected"),
    [
        ("vllm serve m --port 8000", False, ["8000"]),
        ("vllm serve m --port=8000", False, ["8000"]),
        ("docker run -d -p 8080:80 -p 127.0.0.1:9443:443 x", True, ["8080", "9443"]),
        ("docker run --publish 8080:80/tcp x", True, ["8080"]),
        ("uvicorn app:app -p 9000", False, ["9000"]),
        ("gunicorn -b 0.0.0.0:5000 app", False, ["5000"]),
        ("python -m http.server 9090", False, ["9090"]),
        ("python manage.py runserver 0.0.0.0:8001", False, ["8001"]),
        ("php -S localhost:8080", False, ["8080"]),
        ("java -Dserver.port=8443 -jar x.jar", False, ["8443"]),
        ("prometheus --web.listen-address=:9090", False, ["9090"]),
        ("PORT=3000 node server.js", False, ["3000"]),
        ("docker run -e A=1 --memory 8192 x", True, []),
        ("sleep 8000", False, []),
        ("head -n 8000 x", False, []),
    ],
)  # fmt: skip
def test_ports_in(line: str, container: bool, expected: list[str]) -> None:
    assert list(ports_in(line.split(), container=container)) == expected


def test_path_form() -> None:
    assert path_form("'/etc//nginx/./nginx.conf'") == "/etc/nginx/nginx.conf"
    assert path_form("$HOME/x/../y") == "~/y"
    assert path_form("C:\\App\\X.ini") == "c:/app/x.ini"


def test_hostile_input_stays_cheap() -> None:
    began = time.perf_counter()
    known = Neighbourhoods()
    nasty = [
        "a-" * 3000,
        "/" * 5000,
        "a.b" * 3000,
        "x@" * 2000,
        "1" * 5000,
        "a_b-" * 2000,
        "\\" * 4000,
        "[" * 4000,
    ]
    for name in nasty:
        for kind in (
            "service",
            "file",
            "container",
            "compose",
            "k8s",
            "url",
            "process",
            "network",
            "database",
        ):
            target = Target(kind=kind, name=name, host="h")  # type: ignore[arg-type]
            known.learn(Command(words=("x", name), effect="start", target=target, writes=name * 2), Outcome())
            known.match(
                Command(words=("x",), effect="check", target=target),
                Target(kind="service", name="a", host="h"),
            )
    assert time.perf_counter() - began < 10


def test_many_links_stay_bounded() -> None:
    known = Neighbourhoods()
    for port in range(1000, 9000):
        known.learn(c("service api @h", f"x --port {port}", "start"), Outcome())
    assert known.match(c("url http://localhost:1500 @h", "curl"), t("service api @h")) is not None
