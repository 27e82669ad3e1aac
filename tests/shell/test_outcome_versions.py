"""What tools of several versions and in several languages print, and what it shows.

Rows: line, exit code (``None``: not recorded), output, first word of the command asked about, what follows. Words of
what follows: good, bad, unclear, none (a check's state), done, undone, failed, sound, nothing, kept, expired, progress.
"""

from __future__ import annotations

import pytest

from sessionlens import shell
from sessionlens.shell.outcome import judge

DE_STATUS = "● nginx.service - A high performance web server\n     Loaded: loaded (/lib/systemd/system/nginx.service; enabled; preset: enabled)\n     Active: active (running) since Mon 2026-01-05 10:00:00 CET; 2s ago\n"
OLD_STATUS = "nginx.service - The nginx HTTP server\n   Loaded: loaded (/usr/lib/systemd/system/nginx.service; enabled)\n   Active: failed (Result: exit-code) since Mon 2026-01-05 10:00:00 UTC; 2s ago\n"
TIMER = "● backup.timer - nightly\n     Loaded: loaded\n     Active: active (waiting) since Mon 2026-01-05\n    Trigger: Tue 2026-01-06 03:00:00 UTC; 17h left\n"
RETRY = (
    "     Active: activating (auto-restart) (Result: exit-code) since Mon 2026-01-05 10:00:00 UTC; 3s ago\n"
)
PODS = "NAME                   READY   STATUS{}\n"

ROWS: list[tuple[str, int | None, str, str, str]] = [
    # systemd, old and new, other init systems, other languages
    ("systemctl status nginx", 0, DE_STATUS, "systemctl", "good"),
    ("systemctl status nginx", 3, OLD_STATUS, "systemctl", "bad"),
    ("systemctl status backup.timer", 0, TIMER, "systemctl", "good"),
    ("systemctl status api", 3, RETRY, "systemctl", "bad"),
    ("systemctl is-active api", 3, "activating", "systemctl", "unclear progress"),
    ("systemctl is-active api", 4, "inactive", "systemctl", "bad"),
    ("systemctl is-active api db", 3, "active\nfailed", "systemctl", "bad"),
    ("systemctl show api -p ActiveState", 0, "ActiveState=active", "systemctl", "good"),
    ("systemctl show api -p ActiveState --value", 0, "active", "systemctl", "good"),
    ("systemctl show api -p ActiveState --value", 0, "failed", "systemctl", "bad"),
    ("systemctl restart api", 1, "Job for api.service failed because a timeout was exceeded.", "systemctl", "failed"),
    ("systemctl restart api", 1, "Failed to restart api.service: Access denied\nSee system logs", "systemctl", "failed nothing"),
    ("systemctl restart api", 1, "Failed to restart api.service: Unit api.service is masked.", "systemctl", "failed nothing"),
    ("systemctl restart api", 0, "Warning: The unit file, source configuration file or drop-ins of api.service changed on disk. Run 'systemctl daemon-reload' to reload units.", "systemctl", "sound done"),
    ("service nginx status", 0, "nginx (pid  4711) is running...", "service", "good"),
    ("service nginx status", 3, "nginx is stopped", "service", "bad"),
    ("service nginx status", 0, " * nginx is running", "service", "good"),
    ("service nginx status", 3, " * nginx is not running", "service", "bad"),
    ("rc-service nginx status", 0, " * status: started", "rc-service", "good"),
    ("rc-service nginx status", 32, " * status: crashed", "rc-service", "bad"),
    ("sudo sed -i s/a/b/ /etc/x.conf", 4, "sed: Konnte /etc/sedx12 nicht öffnen: Keine Berechtigung", "sed", "failed nothing"),
    ("cp a /etc/x.conf", 1, "cp: impossible de créer le fichier standard '/etc/x.conf': Permission non accordée", "cp", "failed nothing"),
    ("cp a /etc/x.conf", 1, "cp: no se puede crear el fichero regular '/etc/x.conf': Permiso denegado", "cp", "failed nothing"),
    ("cat /etc/x.conf", 1, "cat: /etc/x.conf: Datei oder Verzeichnis nicht gefunden", "cat", "bad"),
    ("vllmx serve m", 127, "bash: vllmx: Kommando nicht gefunden.", "vllmx", "failed"),
    ("vllmx serve m", 127, "bash: vllmx : commande introuvable", "vllmx", "failed"),
    ("vllmx serve m", 127, "zsh: command not found: vllmx", "vllmx", "failed"),
    ("supervisorctl status api", 0, "api                              RUNNING   pid 4711, uptime 0:00:05", "supervisorctl", "good"),
    ("supervisorctl status api", 3, "api                              FATAL     Exited too quickly (process log may have details)", "supervisorctl", "bad"),
    ("supervisorctl status api", 0, "api                              STARTING", "supervisorctl", "unclear progress"),
    ("supervisorctl status api", 3, "api                              BACKOFF   Exited too quickly", "supervisorctl", "bad"),
    ("launchctl kickstart -k system/com.acme.api", 0, "", "launchctl", "sound"),
    # Kubernetes
    ("kubectl rollout status deploy/api", 0, 'deployment "api" successfully rolled out', "kubectl", "good"),
    ("kubectl rollout status deploy/api", 0, "deployment.apps/api successfully rolled out", "kubectl", "good"),
    ("kubectl rollout status deploy/api --timeout=60s", 1, 'Waiting for deployment "api" rollout to finish: 1 out of 3 new replicas have been updated...\nerror: timed out waiting for the condition', "kubectl", "none progress"),
    ("kubectl rollout status deploy/api", 1, 'error: deployment "api" exceeded its progress deadline', "kubectl", "bad"),
    ("kubectl rollout status sts/db", 0, "statefulset rolling update complete 3 pods at revision db-7d9c...", "kubectl", "good"),
    ("kubectl rollout status sts/db", 0, "partitioned roll out complete: 3 new pods have been updated...", "kubectl", "good"),
    ("kubectl wait --for=condition=Ready pod -l app=api --timeout=60s", 0, "pod/api-7d9c-x condition met", "kubectl", "good"),
    ("kubectl wait --for=condition=Ready pod -l app=api --timeout=60s", 1, "error: timed out waiting for the condition on pods/api-7d9c-x", "kubectl", "none progress"),
    ("kubectl get pods", 0, PODS.format("") + "api-7d9c6-x2x4q    1/1     Running", "kubectl", "good"),
    ("kubectl get pods", 0, PODS.format("") + "api-7d9c6-x2x4q    0/1     ImagePullBackOff", "kubectl", "bad"),
    ("kubectl get pods", 0, PODS.format("") + "api-7d9c6-x2x4q    0/1     CreateContainerConfigError", "kubectl", "bad"),
    ("kubectl get pods", 0, PODS.format("") + "api-7d9c6-x2x4q    0/2     Init:0/1", "kubectl", "unclear progress"),
    ("kubectl get pods", 0, PODS.format("") + "api-7d9c6-x2x4q    0/1     OOMKilled", "kubectl", "bad"),
    ("kubectl get pods", 0, PODS.format("") + "api-7d9c6-x2x4q    1/1     Terminating", "kubectl", "unclear"),
    ("kubectl get pods", 0, PODS.format("") + "migrate-x2x4q   0/1     Completed", "kubectl", "good"),
    ("kubectl get pods -n shop", 0, "No resources found in shop namespace.", "kubectl", "bad"),
    ("kubectl get deploy api", 0, "NAME   READY   UP-TO-DATE   AVAILABLE   AGE\napi    2/3     3            2           4d", "kubectl", "unclear"),
    ("kubectl get nodes", 0, "NAME   STATUS   ROLES    AGE   VERSION\nn1     Ready    <none>   4d    v1.30.1", "kubectl", "good"),
    ("kubectl get nodes", 0, "NAME   STATUS     ROLES    AGE   VERSION\nn1     NotReady   <none>   4d    v1.30.1", "kubectl", "bad"),
    ("kubectl apply -f k8s/", 0, "deployment.apps/api unchanged\nservice/api unchanged", "kubectl", "nothing"),
    ("kubectl apply -f k8s/", 0, "deployment.apps/api configured\nservice/api unchanged", "kubectl", "kept"),
    ("kubectl apply -f k8s/", 0, "deployment.apps/api serverside-applied", "kubectl", "kept sound"),
    ("kubectl apply -f k8s/", 1, 'error: error validating "k8s/a.yaml": error validating data: unknown field "spec.replica"', "kubectl", "failed nothing"),
    ("kubectl apply -f k8s/", 1, "The connection to the server 10.0.0.1:6443 was refused - did you specify the right host or port?", "kubectl", "failed nothing"),
    ("kubectl apply -f k8s/", 1, 'Error from server (Forbidden): deployments.apps "api" is forbidden: User "ci" cannot patch resource', "kubectl", "failed nothing"),
    ("kubectl set image deploy/api api=x:2", 0, "deployment.apps/api image updated", "kubectl", "kept sound"),
    ("helm upgrade api ./chart", 1, "Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress", "helm", "failed nothing"),
    ("helm upgrade api ./chart --wait", 1, "Error: UPGRADE FAILED: timed out waiting for the condition", "helm", "failed kept"),
    ("helm upgrade api ./chart --wait", 1, "Error: UPGRADE FAILED: context deadline exceeded", "helm", "failed kept"),
    ("helm upgrade --install api ./chart", 0, 'Release "api" has been upgraded. Happy Helming!\nNAME: api\nSTATUS: deployed', "helm", "sound"),
    ("helm status api", 0, "NAME: api\nSTATUS: pending-upgrade\nREVISION: 4", "helm", "unclear"),
    ("helm status api", 0, "NAME: api\nSTATUS: failed\nREVISION: 4", "helm", "bad"),
    # containers
    ("docker compose up -d", 0, "[+] Running 2/2\n ✔ Container shop-db-1   Running\n ✔ Container shop-web-1  Started", "docker", "done"),
    ("docker compose up -d", 0, "shop_db_1 is up-to-date\nRecreating shop_web_1 ... done", "docker", "done"),
    ("docker compose up -d", 1, "Error response from daemon: driver failed programming external connectivity on endpoint web: Bind for 0.0.0.0:80 failed: port is already allocated", "docker", "failed"),
    ("docker compose up -d --wait", 1, "container shop-web-1 is unhealthy", "docker", "failed"),
    ("docker compose ps", 0, "NAME         IMAGE   STATUS                    PORTS\nshop-web-1   web     Up 3 seconds (healthy)    0.0.0.0:80->80/tcp", "docker", "good"),
    ("docker-compose ps", 0, "   Name      Command   State    Ports\n----------\nshop_web_1   run       Up       80/tcp", "docker-compose", "good"),
    ("docker-compose ps", 0, "   Name      Command   State    Ports\n----------\nshop_web_1   run       Exit 1", "docker-compose", "bad"),
    ("docker ps --filter name=web", 0, "CONTAINER ID   IMAGE   COMMAND   CREATED   STATUS                          PORTS   NAMES\nab12   web   run   3s ago   Restarting (1) 2 seconds ago           web", "docker", "bad"),
    ("docker restart web", 1, "Error response from daemon: No such container: web", "docker", "failed nothing"),
    ("podman restart web", 125, 'Error: no container with name or ID "web" found: no such container', "podman", "failed nothing"),
    # databases
    ("psql -d shop -c \"update orders set a=1\"", 0, "UPDATE 0", "psql", "nothing"),
    ("psql -d shop -c \"update orders set a=1\"", 0, "UPDATE 12", "psql", "kept done"),
    ("psql -d shop -c \"update orders set a=1\"", 1, 'ERROR:  relation "orders" does not exist', "psql", "failed nothing"),
    ("psql -d shop -c \"update orders set a=1\"", 1, 'FEHLER:  Relation »orders« existiert nicht', "psql", "failed nothing"),
    ("psql -d shop -c \"update orders set a=1\"", 2, 'psql: error: connection to server at "db1" (10.0.0.5), port 5432 failed: Connection refused', "psql", "failed nothing"),
    ("psql -d shop -c \"begin; delete from carts; rollback\"", 0, "BEGIN\nDELETE 8\nROLLBACK", "psql", "nothing"),
    ("psql -d shop -c \"begin; delete from carts; commit\"", 0, "BEGIN\nDELETE 8\nCOMMIT", "psql", "kept"),
    ("psql -d shop -c \"begin; delete from cart; commit\"", 1, 'ERROR:  relation "cart" does not exist\nROLLBACK', "psql", "failed nothing"),
    ("psql -d shop -c \"begin; savepoint a; delete from carts; rollback to savepoint a; commit\"", 0, "COMMIT", "psql", "kept"),
    ("mysql shop -e 'update t set a=1'", 1, "ERROR 1146 (42S02) at line 1: Table 'shop.t' doesn't exist", "mysql", "failed nothing"),
    ("mysql shop -e 'update t set a=1'", 1, "ERROR 2002 (HY000): Can't connect to local MySQL server through socket", "mysql", "failed nothing"),
    ("mongosh shop --eval 'db.t.updateMany({}, {$set: {a: 1}})'", 0, "{ acknowledged: true, matchedCount: 3, modifiedCount: 3 }", "mongosh", "kept sound"),
    ("redis-cli set a 1", 0, "OK", "redis-cli", "done"),
    ("redis-cli set a 1", 0, "(error) READONLY You can't write against a read only replica.", "redis-cli", "failed nothing"),
    ("redis-cli set a 1", 1, "Could not connect to Redis at 127.0.0.1:6379: Connection refused", "redis-cli", "failed nothing"),
    ("alembic upgrade head", 1, "sqlalchemy.exc.OperationalError: (psycopg2.OperationalError) connection to server failed", "alembic", "failed"),
    # clouds
    ("terraform apply -auto-approve", 0, "No changes. Your infrastructure matches the configuration.\n\nApply complete! Resources: 0 added, 0 changed, 0 destroyed.", "terraform", "nothing done"),
    ("terraform apply -auto-approve", 0, "Apply complete! Resources: 0 added, 1 changed, 0 destroyed.", "terraform", "kept done"),
    ("terraform apply -auto-approve", 1, "Error: Error acquiring the state lock", "terraform", "failed nothing"),
    ("aws ecs update-service --cluster c --service api --force-new-deployment", 254, "An error occurred (ServiceNotFoundException) when calling the UpdateService operation: Service not found.", "aws", "failed nothing"),
    ("aws s3 sync dist s3://site", 1, "fatal error: An error occurred (AccessDenied) when calling the ListObjectsV2 operation: Access Denied", "aws", "failed nothing"),
    ("aws s3 cp a s3://site/a", 0, "upload: ./a to s3://site/a", "aws", "done"),
    ("gcloud run deploy api --image x:2", 1, "ERROR: (gcloud.run.deploy) PERMISSION_DENIED: Permission 'run.services.get' denied", "gcloud", "failed nothing"),
    ("gcloud run deploy api --image x:2", 0, "Deploying container to Cloud Run service [api]\nService [api] revision [api-00004] has been deployed and is serving 100 percent of traffic.\nService URL: https://api-x.run.app", "gcloud", "done"),
    ("az webapp restart -n api -g rg", 3, "(ResourceNotFound) The Resource 'Microsoft.Web/sites/api' under resource group 'rg' was not found.", "az", "failed nothing"),
    ("ansible-playbook site.yml", 2, "PLAY RECAP *****\nweb1 : ok=3 changed=1 unreachable=0 failed=1 skipped=0", "ansible-playbook", "failed kept"),
    ("ansible-playbook site.yml", 4, "web1 : ok=0 changed=0 unreachable=1 failed=0", "ansible-playbook", "failed nothing"),
    ("ansible-playbook site.yml", 0, "web1 : ok=9 changed=0 unreachable=0 failed=0", "ansible-playbook", "nothing"),
    # webs
    ("curl -s -o /dev/null -w '%{http_code}' https://x.io/", 0, "502", "curl", "bad"),
    ("curl -sI https://x.io/", 0, "HTTP/2 503 \nretry-after: 30", "curl", "bad"),
    ("curl -sS http://localhost:8000/health", 7, "curl: (7) Failed to connect to localhost port 8000 after 0 ms: Couldn't connect to server", "curl", "bad"),
    ("curl -sS http://localhost:8000/health", 7, "curl: (7) Failed to connect to localhost port 8000: Connection refused", "curl", "bad"),
    ("curl -s http://localhost:8000/health", 0, '{"status":"unhealthy"}', "curl", "bad"),
    ("curl -s http://localhost:8000/health", 0, '{"status":"starting"}', "curl", "unclear"),
    ("http GET :8000/health", 0, "HTTP/1.1 200 OK\n\n{}", "http", "good"),
    # git where it runs
    ("ssh w 'cd /srv/a && git pull'", 0, "Already up to date.", "git", "nothing"),
    ("ssh w 'cd /srv/a && git pull'", 0, "Bereits aktuell.", "git", "nothing"),
    ("ssh w 'cd /srv/a && git pull'", 0, "Updating 1a2b3c4..5d6e7f8\nFast-forward\n a | 2 +-", "git", "kept done"),
    ("ssh w 'cd /srv/a && git checkout main && git pull'", 0, "Already on 'main'\nUpdating 1a2b3c4..5d6e7f8\nFast-forward", "git", "kept"),
    ("ssh w 'cd /srv/a && git pull'", 1, "error: Your local changes to the following files would be overwritten by merge:\n\ta\nAborting", "git", "failed nothing"),
    ("ssh w 'cd /srv/a && git pull'", 128, "fatal: detected dubious ownership in repository at '/srv/a'", "git", "failed nothing"),
    ("ssh w 'cd /srv/a && git pull'", 1, "CONFLICT (content): Merge conflict in a\nAutomatic merge failed; fix conflicts", "git", "failed kept"),
    ("ssh w 'git -C /srv/a reset --hard v2'", 0, "HEAD is now at 1a2b3c4 v2", "git", "kept done"),
    ("ssh w 'cd /srv/a && git pull && systemctl restart a'", 0, "Already up to date.", "git", "nothing"),
    # limits
    ("timeout 5 make | tail -3; echo ${PIPESTATUS[0]}", 0, "cc a.c\n124", "make", "expired"),
    ("timeout 5 make | tail -3; echo \"${PIPESTATUS[@]}\"", 0, "cc a.c\n124 0", "make", "expired"),
    ("timeout 5 make | tail -3; echo ${PIPESTATUS[1]}", 0, "cc a.c\n0", "make", "sound"),
    ("timeout 5 make 2>&1 | tee log; exit ${PIPESTATUS[0]}", 124, "cc a.c", "make", "expired"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "code", "output", "program", "expected"),
    ROWS,
    ids=[f"{n}-{row[0][:40]}" for n, row in enumerate(ROWS)],
)
def test_versions(line: str, code: int | None, output: str, program: str, expected: str) -> None:
    commands = shell.read(line)
    index = next(n for n, command in enumerate(commands) if command.words[0] == program)
    outcome = judge(commands, output, exit=code, status="completed")[index]
    shows = {
        **{state: outcome.state == state for state in ("good", "bad", "unclear")},
        "none": outcome.state is None,
        "done": outcome.completed == "yes",
        "undone": outcome.completed != "yes",
        "failed": outcome.failed,
        "sound": not outcome.failed,
        "nothing": outcome.changed_nothing,
        "kept": not outcome.changed_nothing,
        "expired": outcome.expired,
        "progress": outcome.in_progress,
    }
    wrong = [word for word in expected.split() if not shows[word]]
    assert not wrong, (wrong, outcome, commands[index].effect, commands[index].check_strength)
