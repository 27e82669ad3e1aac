"""Whole command lines: whether the check of one line speaks of what another line changed."""

from __future__ import annotations

import pytest

from sessionlens import shell
from sessionlens.shell.command import CHANGES, Command
from sessionlens.shell.outcome import judge
from sessionlens.targets import Match, Neighbourhoods

UNIT = """ssh root@gpu7 "cat > /etc/systemd/system/kimi.service <<'EOF'
[Service]
ExecStart=/opt/venv/bin/python -m sglang.launch_server --model-path /data/kimi --port 8000
EOF
systemctl daemon-reload && systemctl restart kimi" """
SYSCTL = """ssh db2 'cat > /etc/sysctl.d/99-net.conf <<EOF
net.core.somaxconn = 4096
EOF
sysctl --system'"""
VHOST = """ssh web1 'cat > /etc/nginx/conf.d/shop.conf <<EOF
server {
  listen 8443 ssl;
  server_name shop.example.org;
}
EOF
nginx -t && systemctl reload nginx'"""
NGINX = "ssh web1 \"sed -i 's/a/b/' /etc/nginx/nginx.conf\""
HAPROXY = "scp haproxy.cfg root@lb1:/etc/haproxy/haproxy.cfg"
SERVER = "nohup python server.py --port 9000 > server.log 2>&1 &"
SSHD = "ssh web1 'echo \"PermitRootLogin no\" >> /etc/ssh/sshd_config'"
UP = " Container shop-web-1  Started\n"
IMAGE = "kubectl -n shop set image deployment/api api=api:2"
HELM = "helm upgrade --install api ./chart -n shop"
UPDATE = "psql -h db1 -d shop -c 'update orders set state=1'"
ALTER = 'ssh db1 "sudo -u postgres psql -c \\"ALTER SYSTEM SET work_mem=\'64MB\'\\""'
LIVE = "✅  Production: https://shop.example.org [2s]\n"

GUEST = "ssh root@pve2 'pct set 114 --cores 1'"
COMMIT = """ssh vyos@edge1 'vbash -s' <<'X'
configure
set firewall ipv4 forward filter rule 100 action drop
commit-confirm 8
X"""
MIKROTIK = "ssh admin@gw1 '/ip firewall filter add chain=forward action=drop'"
EXPORTER = "ssh web1 'sudo apt-get install -y /tmp/prometheus-node-exporter_1.8.2-1_amd64.deb'"

# change, its output, check, whether the check speaks of the change
ROWS: list[tuple[str, str, str, bool]] = [
    # one service, a dozen names
    (UNIT, "", "ssh root@gpu7 'systemctl is-active kimi'", True),
    (UNIT, "", "ssh root@gpu7 systemctl status kimi.service --no-pager", True),
    (UNIT, "", "ssh root@gpu7 'journalctl -u kimi -n 50'", True),
    (UNIT, "", "ssh gpu7 curl -s http://localhost:8000/health", True),
    (UNIT, "", "curl -s http://gpu7:8000/v1/models", True),
    (UNIT, "", "ssh gpu7 'ss -ltnp | grep 8000'", True),
    (UNIT, "", "ssh gpu7 'pgrep -af sglang.launch_server'", True),
    (UNIT, "", "ssh gpu7 'ps aux | grep [s]glang'", True),
    (UNIT, "", "ssh gpu7 cat /etc/systemd/system/kimi.service", True),
    (UNIT, "", "ssh gpu7 systemctl cat kimi", True),
    (UNIT, "", "ssh gpu7 'systemctl show kimi -p ActiveState'", True),
    (UNIT, "", "ssh gpu8 'systemctl is-active kimi'", False),
    (UNIT, "", "systemctl is-active kimi", False),
    (UNIT, "", "ssh gpu7 'systemctl is-active kimi-proxy'", False),
    (UNIT, "", "ssh gpu7 curl -s http://localhost:8001/health", False),
    (UNIT, "", "curl -s http://localhost:8000/health", False),
    (UNIT, "", "ssh gpu7 'ss -ltnp | grep 9000'", False),
    (UNIT, "", "ssh gpu7 'pgrep -af vllm'", False),
    (UNIT, "", "ssh gpu7 df -h", False),
    (UNIT, "", "ssh gpu7 uptime", False),
    ("systemctl restart nginx", "", "curl -I http://localhost/", True),
    ("systemctl restart nginx", "", "nginx -t", True),
    ("systemctl restart nginx", "", "tail -n 20 /var/log/nginx/error.log", True),
    ("systemctl restart nginx", "", "systemctl status apache2", False),
    ("sudo systemctl reload nginx", "", "sudo systemctl status nginx", True),
    ("service redis-server restart", "", "redis-cli ping", True),
    ("service redis-server restart", "", "systemctl is-active redis", True),
    ("ssh web1 'sudo systemctl restart api'", "", "ssh deploy@web1 systemctl is-active api", True),
    ("ssh -p 2222 web1 'systemctl restart api'", "", "ssh web1 -p 2222 'journalctl -u api -n 20'", True),
    ("ssh web1 'systemctl restart api'", "", "ssh web1 'systemctl status api-gateway'", False),
    ("ssh web1 'systemctl restart api-gateway'", "", "ssh web1 'systemctl status api'", False),
    ("ssh web1 'systemctl restart worker@1'", "", "ssh web1 'systemctl status worker@2'", False),
    ("ssh web1 'systemctl restart api'", "", "ssh web1 'systemctl --failed'", True),
    ("supervisorctl restart worker", "", "supervisorctl status worker", True),
    ("supervisorctl restart worker", "", "supervisorctl status", True),
    ("supervisorctl restart worker", "", "supervisorctl status mailer", False),
    ("pm2 restart api", "", "pm2 list", True),
    ("pm2 restart api", "", "pm2 logs api --lines 20 --nostream", True),
    ("pm2 restart api", "", "pm2 describe web", False),
    (SERVER, "", "curl -s localhost:9000/health", True),
    (SERVER, "", "pgrep -f server.py", True),
    (SERVER, "", "tail -5 server.log", True),
    (SERVER, "", "curl -s localhost:9001/health", False),
    ("nohup ./run.sh > run.log 2>&1 & echo $!", "4711\n", "ps -p 4711", True),
    ("nohup ./run.sh > run.log 2>&1 & echo $!", "4711\n", "ps -p 4712", False),
    ("ssh web1 reboot", "", "ssh web1 uptime", True),
    ("ssh web1 reboot", "", "ping -c1 web1", True),
    ("ssh web1 reboot", "", "ping -c1 web2", False),
    # configuration and the daemon that reads it
    (NGINX, "", "ssh web1 nginx -t", True),
    (NGINX, "", "ssh web1 'systemctl is-active nginx'", True),
    (NGINX, "", "ssh web1 'grep b /etc/nginx/nginx.conf'", True),
    (NGINX, "", "ssh web2 nginx -t", False),
    (NGINX, "", "ssh web1 'cat /etc/hosts'", False),
    (HAPROXY, "", "ssh root@lb1 'haproxy -c -f /etc/haproxy/haproxy.cfg'", True),
    (HAPROXY, "", "ssh root@lb1 'systemctl is-active haproxy'", True),
    (HAPROXY, "", "ssh root@lb2 'systemctl is-active haproxy'", False),
    ("rsync -av nginx/ web1:/etc/nginx/", "", "ssh web1 'nginx -t'", True),
    ("rsync -av dist/ web1:/var/www/shop/", "", "ssh web1 'test -f /var/www/shop/index.html'", True),
    (VHOST, "", "curl -I https://shop.example.org", True),
    (VHOST, "", "curl -kI https://web1:8443/", True),
    (VHOST, "", "curl -I https://blog.example.org", False),
    (SYSCTL, "", "ssh db2 sysctl net.core.somaxconn", True),
    (SYSCTL, "", "ssh db2 'cat /proc/sys/net/core/somaxconn'", True),
    (SYSCTL, "", "ssh db2 'sysctl vm.swappiness'", False),
    ("ssh db2 sysctl -w vm.swappiness=10", "", "ssh db2 sysctl vm.swappiness", True),
    ("ssh db2 sysctl -w vm.swappiness=10", "", "ssh db2 cat /proc/sys/vm/swappiness", True),
    ("ssh db2 sysctl -w vm.swappiness=10", "", "ssh db2 sysctl vm.overcommit_memory", False),
    ("sysctl -w vm.swappiness=10", "", "sysctl vm.swappiness", True),
    (SSHD, "", "ssh web1 sshd -t", True),
    (SSHD, "", "ssh web1 systemctl status ssh", True),
    ("ssh web1 'echo x >> /opt/api/.env'", "", "ssh web1 systemctl is-active api", True),
    ("ssh web1 'crontab -'", "", "ssh web1 crontab -l", True),
    ("ssh web1 'ufw allow 443'", "", "ssh web1 ufw status", True),
    ("ssh web1 'iptables -A INPUT -p tcp --dport 80 -j ACCEPT'", "", "ssh web1 iptables -L -n", True),
    # guests of a hypervisor, appliances, packages by their files
    (GUEST, "", "ssh root@pve2 'pct config 114'", True),
    (GUEST, "", "ssh root@pve2 'pvesh get /nodes/pve2/lxc/114/status/current'", True),
    (GUEST, "", "ssh root@jump 'pvesh get /nodes/pve2/lxc/114/status/current'", True),
    (GUEST, "", "ssh root@pve2 'pct exec 114 -- free -m'", True),
    (GUEST, "", "ssh root@pve2 'pct status 115'", False),
    (GUEST, "", "ssh root@pve2 'pvesh get /nodes/pve2/lxc/115/status/current'", False),
    (GUEST, "", "ssh root@pve2 'ss -tln | grep :114'", False),
    (GUEST, "", "ssh root@pve3 'pct status 114'", False),
    ("virsh setmem web1 4G --config", "", "virsh dominfo web1", True),
    ("virsh setmem web1 4G --config", "", "virsh dominfo web2", False),
    ("govc vm.change -vm web1 -c 4", "", "govc vm.info web1", True),
    ("govc vm.change -vm web1 -c 4", "", "govc vm.info web2", False),
    (COMMIT, "", "ssh vyos@edge1 '/opt/vyatta/bin/vyatta-op-cmd-wrapper show firewall ipv4'", True),
    (COMMIT, "", "ssh vyos@edge2 '/opt/vyatta/bin/vyatta-op-cmd-wrapper show firewall ipv4'", False),
    (MIKROTIK, "", "ssh admin@gw1 '/ip firewall filter print stats'", True),
    (MIKROTIK, "", "ssh admin@gw1 '/interface wifi print'", False),
    ("ssh root@ap1 'sysupgrade /tmp/ap.bin'", "", "ssh root@ap1 'iwinfo; wifi status'", True),
    ("ssh root@ap1 'sysupgrade /tmp/ap.bin'", "", "ssh root@ap2 'iwinfo; wifi status'", False),
    (EXPORTER, "", "curl -s http://web1:9100/metrics", True),
    (EXPORTER, "", "curl -s http://web1:9090/metrics", False),
    (EXPORTER, "", "curl -s http://web2:9100/metrics", False),
    # containers
    ("docker compose up -d", UP, "docker compose ps", True),
    ("docker compose up -d", UP, "docker logs shop-web-1", True),
    ("docker compose up -d", UP, "docker ps", True),
    ("docker compose up -d web", "", "docker compose logs web", True),
    ("docker compose up -d web", "", "docker compose logs db", False),
    ("docker compose restart web", "", "docker ps --filter name=shop-web-1", True),
    ("ssh h 'cd /opt/shop && docker compose up -d'", "", "ssh h 'docker ps'", True),
    ("ssh h 'cd /opt/shop && docker compose up -d'", "", "docker ps", False),
    ("docker run -d --name cache -p 6390:6379 redis", "", "redis-cli -p 6390 ping", True),
    ("docker run -d --name web -p 8080:80 nginx", "", "curl -I localhost:8080", True),
    ("docker run -d --name web -p 8080:80 nginx", "", "curl -I localhost:8081", False),
    ("docker run -d --name web -p 8080:80 nginx", "", "docker inspect -f '{{.State.Status}}' web", True),
    ("docker run -d --name web -p 8080:80 nginx", "", "docker logs web2", False),
    ("docker restart web", "", "docker exec web nginx -t", True),
    ("docker service update --image api:2 shop_api", "", "docker service ps shop_api", True),
    # cluster
    (IMAGE, "", "kubectl -n shop rollout status deployment/api", True),
    (IMAGE, "", "kubectl rollout status deploy api --namespace=shop", True),
    (IMAGE, "", "kubectl -n shop get pods", True),
    (IMAGE, "", "kubectl get pods -A", True),
    (IMAGE, "", "kubectl -n shop get pods -l app=api", True),
    (IMAGE, "", "kubectl -n shop get pods -l app=web", False),
    (IMAGE, "", "kubectl -n shop logs deploy/api --tail=20", True),
    (IMAGE, "", "kubectl -n shop describe pod api-5d9f8c7b6-x1z2y", True),
    (IMAGE, "", "kubectl -n blog get pods", False),
    (IMAGE, "", "kubectl -n shop rollout status deployment/api-gateway", False),
    (IMAGE, "", "kubectl get nodes", False),
    (IMAGE.replace("-n shop", "--context a -n shop"), "",
     "kubectl --context b -n shop rollout status deployment/api", False),
    ("kubectl apply -n shop -f k8s/", "deployment.apps/api configured\n", "kubectl -n shop rollout status deployment/api", True),
    ("kubectl apply -n shop -f k8s/", "deployment.apps/api configured\n", "kubectl -n shop rollout status deployment/web", False),
    ("kubectl apply -f k8s/api.yaml", "", "kubectl get deployment api", True),
    ("kubectl -n shop scale statefulset/db --replicas=3", "", "kubectl -n shop get pod db-0", True),
    ("kubectl -n shop delete pod api-5d9f8c7b6-x1z2y", "", "kubectl -n shop get pods", True),
    (HELM, "", "helm status api -n shop", True),
    (HELM, "", "kubectl -n shop rollout status deployment/api", True),
    (HELM, "", "kubectl -n shop get pods", True),
    (HELM, "", "helm status web -n shop", False),
    (HELM, "", "helm list -n shop", True),
    # databases
    (UPDATE, "", "psql -h db1 -d shop -c 'select state from orders limit 5'", True),
    (UPDATE, "", "psql -h db1 -d shop -c 'select count(*) from customers'", False),
    (UPDATE, "", "psql -h db2 -d shop -c 'select state from orders'", False),
    (UPDATE, "", "psql -h db1 -d blog -c 'select state from orders'", False),
    (ALTER, "", "ssh db1 \"sudo -u postgres psql -c 'SHOW work_mem'\"", True),
    (ALTER, "", "ssh db1 systemctl is-active postgresql", True),
    ("redis-cli -h cache1 config set maxmemory 2gb", "", "redis-cli -h cache1 config get maxmemory", True),
    ("redis-cli -h cache1 config set maxmemory 2gb", "", "redis-cli -h cache2 config get maxmemory", False),
    ("ssh db1 systemctl restart postgresql", "", "pg_isready -h db1", True),
    ("ssh db1 systemctl restart mysql", "", "ssh db1 mysqladmin ping", True),
    # clouds
    ("fly deploy -a shop", "", "fly status -a shop", True),
    ("fly deploy -a shop", "", "fly status -a blog", False),
    ("vercel --prod", LIVE, "curl -I https://shop.example.org", True),
    ("vercel --prod", LIVE, "curl -I https://blog.example.org", False),
    ("aws lambda update-function-code --function-name resize --zip-file fileb://x.zip", "",
     "aws lambda get-function --function-name resize", True),
    ("gcloud run deploy api --project acme --image x", "", "gcloud run services describe api --project acme", True),
    ("gcloud run deploy api --project acme --image x", "", "gcloud run services describe api --project other", False),
    ("heroku restart -a shop", "", "heroku ps -a shop", True),
    ("heroku restart -a shop", "", "curl -I https://shop-0123456789ab.herokuapp.com/", True),
    ("fly deploy -a shop", "", "curl -I https://shop.fly.dev", True),
    ("fly deploy -a shop", "", "curl -I https://shop-eu.fly.dev", False),
    ("git push heroku main", "remote: https://shop-0123456789ab.herokuapp.com/ deployed to Heroku\n",
     "curl -I https://shop-0123456789ab.herokuapp.com/", True),
    ("flux reconcile kustomization apps", "", "flux get kustomizations", True),
    ("ansible-playbook -i hosts site.yml --limit web1", "", "ssh web1 systemctl is-active nginx", True),
    ("ansible-playbook -i hosts site.yml --limit web1", "", "ssh web2 systemctl is-active nginx", False),
    ("ssh w 'printf \"[Service]\\nEnvironment=PORT=9100\\n\" > /etc/systemd/system/api.service.d/p.conf'", "",
     "ssh w 'curl -s localhost:9100/health'", True),
    ("rabbitmqctl add_user x y", "", "rabbitmqctl list_users", True),
    # files that describe what runs
    ("scp docker-compose.yml web1:/opt/shop/docker-compose.yml", "", "ssh web1 'docker compose ps'", True),
    ("scp docker-compose.yml web1:/opt/shop/docker-compose.yml", "", "ssh web1 'docker logs shop-web-1'", True),
    ("scp docker-compose.yml web1:/opt/shop/docker-compose.yml", "", "ssh web1 'docker logs blog-web-1'", False),
    ("scp docker-compose.yml web1:/opt/shop/docker-compose.yml", "", "docker compose ps", False),
    ("scp ecosystem.config.js web1:/opt/shop/ecosystem.config.js", "", "ssh web1 pm2 list", True),
    ("scp worker.conf web1:/etc/supervisor/conf.d/worker.conf", "", "ssh web1 supervisorctl status worker", True),
    ("scp worker.conf web1:/etc/supervisor/conf.d/worker.conf", "", "ssh web1 supervisorctl status mailer", False),
    ("scp worker.conf web1:/etc/supervisor/conf.d/worker.conf", "", "ssh web1 supervisorctl status", True),
]  # fmt: skip


def matched(change: str, output: str, check: str) -> list[tuple[Command, Command, Match]]:
    known = Neighbourhoods()
    changed, checked = shell.read(change), shell.read(check)
    for command, outcome in zip(changed, judge(changed, output, exit=0, status="completed"), strict=True):
        known.learn(command, outcome)
    for command, outcome in zip(checked, judge(checked, "", exit=0, status="completed"), strict=True):
        known.learn(command, outcome)
    changes = [
        command
        for command in changed
        if command.effect in CHANGES and command.words[1:2] != ("daemon-reload",)
    ]
    checks = [command for command in checked if command.check_strength is not None]
    assert changes, f"no change in {[(c.words, c.effect) for c in changed]}"
    assert checks, f"no check in {[(c.words, c.effect) for c in checked]}"
    found = []
    for one in changes:
        for other in checks:
            match = known.match(other, one.target)
            if match is not None:
                found.append((one, other, match))
    return found


@pytest.mark.parametrize(
    ("change", "output", "check", "expected"), ROWS, ids=[f"{n}-{row[2][:60]}" for n, row in enumerate(ROWS)]
)
def test_lines(change: str, output: str, check: str, expected: bool) -> None:
    found = matched(change, output, check)
    assert bool(found) is expected, [(one.target, other.target, match) for one, other, match in found] or [
        (c.words[:3], c.effect, c.target) for c in (*shell.read(change), *shell.read(check))
    ]
