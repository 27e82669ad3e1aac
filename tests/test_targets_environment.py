"""Which environment a target belongs to: a table of targets as commands name them, and of what persons say."""

from __future__ import annotations

import pytest

from sessionlens import shell
from sessionlens.places import environment_said
from sessionlens.targets import (
    EnvironmentNames,
    EnvironmentSettings,
    Target,
    environment,
    scratch,
    shared,
    url_host,
)

WORKING_COPY = "/home/ana/shop"

# kind name @host ctx=context ns=namespace | wrapper ; wrapper | words | effect | environment
TABLE = """
service vllm @gpu7 | ssh root@gpu7 | systemctl restart vllm | restart | production
service sglang-kimi @10.20.30.140 | ssh root@10.20.30.140 | systemctl restart sglang-kimi | restart | production
service api @web-stg-2 | ssh deploy@web-stg-2 | systemctl restart api | restart | staging
service api @staging | ssh staging ; sudo | systemctl restart api | restart | staging
service api @dev3 | ssh dev3 | systemctl restart api | restart | development
service api @api.dev.example.org | ssh api.dev.example.org | systemctl restart api | restart | development
service api @app.example.dev | ssh app.example.dev | systemctl restart api | restart | production
service api @proddb1 | ssh proddb1 | systemctl restart api | restart | production
service api @devbox | ssh devbox | systemctl restart api | restart | development
service api @uat.shop.example | ssh uat.shop.example | systemctl restart api | restart | staging
service api @preprod-web | ssh preprod-web | systemctl restart api | restart | staging
service api @pre-prod-web | ssh pre-prod-web | systemctl restart api | restart | staging
service api @nonprod-1 | ssh nonprod-1 | systemctl restart api | restart | staging
service api @qa01 | ssh qa01 | systemctl restart api | restart | staging
service api @latest-host | ssh latest-host | systemctl restart api | restart | production
service api @devices.example.org | ssh devices.example.org | systemctl restart api | restart | production
service api @contest.example.org | ssh contest.example.org | systemctl restart api | restart | production
service api @backstage.example.org | ssh backstage.example.org | systemctl restart api | restart | production
service api @prod01 | ssh prod01 | systemctl restart api | restart | production
service api @acme-production | ssh acme-production | systemctl restart api | restart | production
service api @$HOST | ssh $HOST | systemctl restart api | restart | unknown
service api @${SERVER} | ssh ${SERVER} | systemctl restart api | restart | unknown
service api @localhost | ssh -p 2222 localhost | systemctl restart api | restart | local
service api @default | vagrant ssh | systemctl restart api | restart | development
service api | multipass exec vm1 -- | systemctl restart api | restart | development
service api | wsl -d Ubuntu | systemctl restart api | restart | development
service api-staging @web1 | ssh web1 | systemctl restart api-staging | restart | staging
service dev-proxy @web1 | ssh web1 | systemctl restart dev-proxy | restart | development
service attest @web1 | ssh web1 | systemctl restart attest | restart | production
service nginx | | systemctl restart nginx | restart | production
service nginx | sudo | service nginx reload | reload | production
service nginx | sudo | nginx -s reload | reload | production
service apache2 | sudo | apachectl graceful | reload | production
service worker | | supervisorctl restart worker | restart | production
service syncthing | | systemctl --user restart syncthing | restart | local
service postgresql@16 | | brew services restart postgresql@16 | restart | local
service api | | pm2 restart api | restart | local
service api @web1 | ssh web1 | pm2 restart api | restart | production
service nginx | docker exec web | nginx -s reload | reload | local
service nginx @prod1 | ssh prod1 ; docker exec web | nginx -s reload | reload | production
service nginx @h3 | ssh h3 ; docker exec shop-staging-web-1 | nginx -s reload | reload | staging
file /etc/nginx/nginx.conf | | sed -i s/a/b/ /etc/nginx/nginx.conf | edit | production
file /etc/systemd/system/x.service @h | ssh h | tee /etc/systemd/system/x.service | edit | production
file /etc/nginx/sites-available/staging.example.org | | tee x | edit | staging
file /etc/hosts | sudo | tee -a /etc/hosts | edit | production
file /usr/local/bin/backup.sh @h | ssh h | tee /usr/local/bin/backup.sh | edit | production
file /usr/local/etc/redis.conf | | tee /usr/local/etc/redis.conf | edit | production
file /proc/sys/vm/swappiness | sudo | tee /proc/sys/vm/swappiness | edit | production
file src/app.py | | write src/app.py | edit | local
file /home/ana/shop/config/prod.yaml | | write x | edit | production
file /home/ana/shop/src/main.go | | write x | edit | local
file tests/test_api.py | | write x | edit | local
file /tmp/x.conf | | tee /tmp/x.conf | edit | local
file /var/tmp/x.conf | | tee /var/tmp/x.conf | edit | local
file ~/notes.md | | tee ~/notes.md | edit | local
file $HOME/.bashrc | | tee $HOME/.bashrc | edit | local
file /Users/li/dev/app/main.py | | write x | edit | development
file /home/dev/app/main.py @h | ssh h | tee x | edit | production
file /opt/shop/.env | | tee /opt/shop/.env | edit | unknown
file /srv/www/index.html | | tee /srv/www/index.html | edit | unknown
file /opt/shop-staging/.env @h | ssh h | tee x | edit | staging
file /srv/staging/app.conf @10.0.0.3 | ssh 10.0.0.3 | tee x | edit | staging
file /opt/shop/config.yml @h | scp | scp config.yml h:/opt/shop/ | transfer | production
file /opt/shop/latest/config.yml @h | ssh h | tee x | edit | production
file /usr/local/share/x @h | ssh h | tee x | edit | production
file /etc/letsencrypt/live/example.org/fullchain.pem @h | ssh h | tee x | edit | production
file /etc/rc.local | | tee x | edit | production
file /etc/fail2ban/jail.local @h | ssh h | tee x | edit | production
file /var/www/test.example.org/index.html @h | ssh h | tee x | edit | development
file /etc/nginx/sites-enabled/uat.example.org.conf @h | ssh h | tee x | edit | staging
file /etc/nginx/sites-enabled/shop.example.org.conf @h | ssh h | tee x | edit | production
file docker-compose.local.yml | | write x | edit | local
file /opt/app/releases/20260101/config.yml @h | ssh h | tee x | edit | production
file s3://acme-assets/site.css | | aws s3 cp site.css s3://acme-assets/site.css | transfer | production
file s3://acme-assets-staging/site.css | | aws s3 cp site.css s3://acme-assets-staging/site.css | transfer | staging
file .env.local | | write .env.local | edit | local
file docker-compose.dev.yml | | write docker-compose.dev.yml | edit | development
file values-staging.yaml | | write values-staging.yaml | edit | staging
file deploy/overlays/production/kustomization.yaml | | write x | edit | production
file C:\\Windows\\System32\\drivers\\etc\\hosts | | Set-Content x | edit | production
file C:\\Users\\ana\\app\\main.cs | | Set-Content x | edit | local
k8s deployment/api | | kubectl rollout restart deployment/api | restart | unknown
k8s deployment/api ns=payments | | kubectl -n payments rollout restart deployment/api | restart | unknown
k8s deployment/api ns=staging | | kubectl -n staging rollout restart deployment/api | restart | staging
k8s deployment/api ns=payments-dev | | kubectl -n payments-dev rollout restart deployment/api | restart | development
k8s deployment/api ns=production | | kubectl -n production rollout restart deployment/api | restart | production
k8s deployment/api ctx=gke_acme_eu_main | | kubectl --context gke_acme_eu_main apply | deploy | production
k8s deployment/api ctx=kind-test | | kubectl --context kind-test apply -f x | deploy | local
k8s deployment/api ctx=minikube | | kubectl --context=minikube apply -f x | deploy | local
k8s deployment/api ctx=docker-desktop | | kubectl --context docker-desktop apply -f x | deploy | local
k8s deployment/api ctx=k3d-dev | | kubectl --context k3d-dev apply -f x | deploy | local
k8s deployment/api ctx=eks-prod ns=staging | | kubectl --context eks-prod -n staging apply -f x | deploy | staging
k8s deployment/api @master1 | ssh master1 | kubectl rollout restart deployment/api | restart | production
k8s api ns=shop | | helm upgrade api ./chart -n shop -f values-staging.yaml | deploy | staging
k8s api ns=shop | | helm upgrade api ./chart -n shop -f values.yaml | deploy | unknown
k8s api ns=shop | | helm upgrade api ./chart --kube-context prod-eu -n shop | deploy | production
k8s k8s/api.yaml | | kubectl apply -f k8s/api.yaml | deploy | unknown
k8s overlays/staging | | kubectl apply -k overlays/staging | deploy | staging
k8s deployment/web-latest | | kubectl rollout restart deployment/web-latest | restart | unknown
k8s deployment/api ns=live | | kubectl -n live rollout restart deployment/api | restart | production
k8s deployment/api ns=pr-42 | | kubectl -n pr-42 rollout restart deployment/api | restart | staging
k8s deployment/api ns=liveness | | kubectl -n liveness rollout restart deployment/api | restart | unknown
k8s node/n3 | | kubectl drain node/n3 | configure | unknown
cloud shop | | vercel --prod | deploy | production
cloud shop | | vercel | deploy | staging
cloud shop | | vercel deploy | deploy | staging
cloud shop | | netlify deploy --prod | deploy | production
cloud shop | | netlify deploy | deploy | staging
cloud shop | | fly deploy -a shop | deploy | production
cloud shop-staging | | fly deploy -a shop-staging | deploy | staging
cloud shop | | wrangler deploy --env staging | deploy | staging
cloud shop | | wrangler deploy | deploy | production
cloud shop | | heroku restart -a shop | restart | production
cloud shop-dev | | heroku restart -a shop-dev | restart | development
cloud resize | | aws lambda update-function-code --function-name resize | deploy | unknown
cloud resize ctx=prod | | aws --profile prod lambda update-function-code --function-name resize | deploy | production
cloud resize ctx=acme-sandbox | | aws --profile acme-sandbox lambda update-function-code | deploy | development
cloud api ctx=acme-main | | gcloud run deploy api --project acme-main | deploy | production
cloud api | | gcloud run deploy api | deploy | unknown
cloud infra | | terraform apply -auto-approve | deploy | production
cloud infra | | terraform apply -var-file=staging.tfvars | deploy | staging
cloud infra | | terraform -chdir=envs/dev apply | deploy | development
cloud infra | | pulumi up --stack acme/prod | deploy | production
cloud svc | | serverless deploy | deploy | development
cloud svc | | serverless deploy --stage prod | deploy | production
host web | | ansible-playbook -i inventories/staging site.yml | deploy | staging
host web | | ansible-playbook -i inventories/production site.yml | deploy | production
unknown site.yml | | ansible-playbook site.yml | deploy | production
unknown deploy | | make deploy | deploy | production
unknown deploy-staging | | make deploy-staging | deploy | staging
unknown deploy.sh | | ./deploy.sh production | deploy | production
unknown restart.sh | | ./bin/restart.sh | restart | unknown
unknown deploy | | cap staging deploy | deploy | staging
database orders @db1 | | psql -h db1 -d orders | write_data | production
database orders @db1.staging.example.org | | psql -h db1.staging.example.org -d orders | write_data | staging
database orders @localhost | | psql -h localhost -d orders | write_data | local
database orders @127.0.0.1 | | mysql -h 127.0.0.1 orders | write_data | local
database orders | | psql -d orders | write_data | unknown
database orders_test | | psql -d orders_test | write_data | development
database app_production | | psql -d app_production | write_data | production
database orders @prod-db | | psql -h prod-db -d orders | write_data | production
database $DATABASE_URL | | psql $DATABASE_URL | write_data | unknown
database app.db | | sqlite3 app.db | write_data | local
database 0 @cache1 | | redis-cli -h cache1 | configure | production
database shop @web1 | ssh web1 | psql shop | write_data | production
database shop @web1 | ssh web1 ; docker exec db | psql shop | write_data | production
database shop | docker compose exec db | psql shop | write_data | local
file /etc/nginx/nginx.conf | docker exec web | tee x | edit | local
file /etc/nginx/nginx.conf | | docker cp nginx.conf web:/etc/nginx/nginx.conf | transfer | local
file /etc/api.yml | kubectl exec deploy/api -- | tee x | edit | unknown
file /etc/api.yml | kubectl -n staging exec deploy/api -- | tee x | edit | staging
container web | | docker run -d --name web acme/web:dev | start | local
database db | RAILS_ENV=production | rails db:migrate | migrate | production
database db | env NODE_ENV=staging | npx prisma migrate deploy | migrate | staging
database latest | | psql -d latest | write_data | unknown
compose web | | docker compose up -d web | start | local
compose web | | docker compose -f docker-compose.prod.yml up -d web | start | production
compose web | | docker compose -f docker-compose.staging.yml up -d web | start | staging
compose web @h | ssh h | docker compose up -d web | start | production
container web | | docker restart web | restart | local
container web @h | ssh h | docker restart web | restart | production
container web-dev @h | ssh h | docker restart web-dev | restart | development
repository main | | git push origin main | transfer | unknown
repository production | | git push origin production | transfer | production
repository staging | | git push origin staging | transfer | staging
repository main | | git push heroku main | transfer | production
repository main | | git push staging main | transfer | staging
repository feature/x | | git push origin feature/x | transfer | development
repository main | | git commit -m x | create | local
url https://api.example.org/v1/users | | curl -X POST https://api.example.org/v1/users | write_data | production
url https://api.staging.example.org/v1 | | curl -X POST https://api.staging.example.org/v1 | write_data | staging
url http://localhost:8000/admin | | curl -X POST http://localhost:8000/admin | write_data | local
url http://localhost:8000/admin @gpu7 | ssh gpu7 | curl -X POST http://localhost:8000/admin | write_data | production
cron crontab | | crontab - | configure | production
network ufw | sudo | ufw allow 443 | configure | production
host web1 | ssh web1 | reboot | reboot | production
process server.py | nohup | python server.py | start | local
package nginx @h | ssh h | apt-get install nginx | install | production
package requests | | pip install requests | install | local
"""


def _target(text: str) -> Target:
    kind, *rest = text.split(" ")
    fields: dict[str, str] = {}
    for part in rest:
        if part.startswith("@"):
            fields["host"] = part[1:]
        elif part.startswith("ctx="):
            fields["context"] = part[4:]
        elif part.startswith("ns="):
            fields["namespace"] = part[3:]
        else:
            fields["name"] = part
    return Target(kind=kind, **fields)  # type: ignore[arg-type]


ROWS = [tuple(cell.strip() for cell in line.split("|")) for line in TABLE.strip().split("\n")]


@pytest.mark.parametrize(
    ("named", "via", "words", "effect", "expected"), ROWS, ids=[f"{r[0]}|{r[2]}" for r in ROWS]
)
def test_environment(named: str, via: str, words: str, effect: str, expected: str) -> None:
    wrappers = tuple(part.strip() for part in via.split(" ; ") if part.strip())
    found, reason, sure = environment(
        _target(named), via=wrappers, words=tuple(words.split()), effect=effect, directory=WORKING_COPY
    )
    assert found == expected, reason
    assert reason
    if found == "unknown":
        assert sure == "low"


def test_table_is_long() -> None:
    assert len(ROWS) >= 120


def test_confidence_says_how_sure() -> None:
    named = environment(Target(kind="service", name="api", host="prod-7"), via=("ssh prod-7",))
    assert named[2] == "high"
    default = environment(Target(kind="service", name="api", host="gpu7"), via=("ssh gpu7",))
    assert default == ("production", "remote host gpu7", "medium")


def test_settings_win() -> None:
    settings = EnvironmentSettings(
        production=EnvironmentNames(hosts=("web-dev-*",), branches=("main",), paths=("/opt/shop",)),
        staging=EnvironmentNames(hosts=("10.1.*",), contexts=("gke_acme_*",), databases=("orders_copy",)),
        local=EnvironmentNames(hosts=("local",), namespaces=("play*",)),
    )

    def of(target: Target, **kwargs: object) -> str:
        return environment(target, settings=settings, **kwargs)[0]  # type: ignore[arg-type]

    assert of(Target(kind="service", name="api", host="web-dev-1.example.org")) == "production"
    assert of(Target(kind="service", name="api", host="root@10.1.2.3")) == "staging"
    assert of(Target(kind="repository", name="main")) == "production"
    assert of(Target(kind="file", name="/opt/shop/config.yml")) == "production"
    assert of(Target(kind="file", name="/opt/shopping/config.yml")) != "production"
    assert of(Target(kind="k8s", name="deployment/a", context="gke_acme_eu")) == "staging"
    assert of(Target(kind="database", name="orders_copy", host="prod-db")) == "staging"
    assert of(Target(kind="k8s", name="deployment/a", namespace="playpen", context="gke_acme_eu")) == "local"
    assert of(Target(kind="service", name="nginx"), words=("systemctl", "restart", "nginx")) == "local"


SAID = [
    ("this is our production box, careful", "production"),
    ("deploy it to prod please", "production"),
    ("it's the live server", "production"),
    ("it's only a test server, do what you want", "development"),
    ("run the tests and fix the failing ones", None),
    ("please test it afterwards", None),
    ("that's on staging", "staging"),
    ("check the staging area of git", None),
    ("it never got the git staging commands right", None),
    ("stop staging files that I did not change", None),
    ("staging commits one by one is fine", None),
    ("this is not production, break whatever you like", "development"),
    ("first on staging, then on production", None),
    ("make it production-ready", None),
    ("we need a production build", None),
    ("it's our dev box", "development"),
    ("install the dev dependencies", None),
    ("use the sandbox account", "development"),
    ("the UAT environment is broken", "staging"),
    ("just my laptop", "local"),
    ("in the local cluster", "local"),
    ("das ist das Produktivsystem", "production"),
    ("Achtung, in Produktion!", "production"),
    ("ist nur ein Testsystem", "development"),
    ("auf dem Testserver", "development"),
    ("das ist nicht produktiv", "development"),
    ("es el servidor de pruebas", "development"),
    ("está en producción", "production"),
    ("c'est le serveur de test", "development"),
    ("attention c'est en prod", "production"),
    ("on est en préprod", "staging"),
    ("é o ambiente de homologação", "staging"),
    ("está em produção", "production"),
    ("è in produzione", "production"),
    ("это боевой сервер", "production"),
    ("на тестовом стенде, тестовый сервер", "development"),
    ("выкати на прод", "production"),
    ("这是生产环境", "production"),
    ("测试环境随便改", "development"),
    ("本番環境です", "production"),
    ("開発環境で試して", "development"),
    ("운영 서버입니다", "production"),
    ("to jest serwer testowy", "development"),
    ("testowy serwer", "development"),
    ("what about hicache?", None),
    ("can we do ratio 4?", None),
    ("", None),
    ("preprod first", "staging"),
    ("it's a throwaway VM", "development"),
    ("product page is broken", None),
    ("reproduce the bug", None),
    ("npm run build for production", None),
    ("set NODE_ENV=production in the Dockerfile", None),
    ("run it in production mode", None),
    ("we have no staging", None),
    ("this box is just for testing", "development"),
    ("nur zum Testen", "development"),
    ("it is customer-facing", "production"),
    ("real users are on it", "production"),
    ("on the demo environment", "staging"),
    ("in my kind cluster", "local"),
    ("the live stream is broken", None),
    ("dev team wants this", None),
    ("das Live-System", "production"),
    ("environnement de recette", "staging"),
    # what a text is about is no place to work in
    ("add a short section on local setup to the README", None),
    ("write a page about staging", None),
    ("document how to run it locally", None),
    ("ergänze die Doku um die Testumgebung", None),
    ("добавь в README раздел о тестовом сервере", None),
    ("README にローカル環境の説明を追加して", None),
    ("update the page on staging", "staging"),
    ("update the docs on the staging server", "staging"),
    ("set up a local environment", "local"),
]


@pytest.mark.parametrize(("text", "expected"), SAID)
def test_environment_said(text: str, expected: str | None) -> None:
    assert environment_said(text) == expected


def test_scratch_and_backups() -> None:
    for name in ("/tmp/a.conf", "/etc/nginx/nginx.conf.bak", "/etc/nginx/nginx.conf.bak.2026-01-02", "app.yml~",
                 "/etc/x.conf.orig", "/opt/backups/a.conf", "/etc/fstab.20260102", "/etc/x.conf.$(date +%s)"):  # fmt: skip
        assert scratch(Target(kind="file", name=name, host="h")), name
    for name in (
        "/etc/nginx/nginx.conf",
        "/opt/app/temp.py",
        "/etc/logrotate.d/app",
        "backup.py",
        "/etc/old.d/x",
    ):
        assert not scratch(Target(kind="file", name=name)), name
    assert not scratch(Target(kind="service", name="tmp"))


def test_shared() -> None:
    assert shared(Target(kind="k8s", name="deployment/api"))
    assert shared(Target(kind="cloud", name="api"))
    assert shared(Target(kind="service", name="api", host="$HOST"))
    assert shared(Target(kind="database", name="$DATABASE_URL"))
    assert not shared(Target(kind="database", name="orders"))
    assert not shared(Target(kind="file", name="/opt/app/x"))
    assert not shared(Target(kind="k8s", name="deployment/api", context="kind-a"))


def test_url_host() -> None:
    assert url_host("https://user@api.example.org:8443/x?y") == "api.example.org"
    assert url_host("localhost:8000/health") == "localhost"
    assert url_host(":3000") == "localhost"
    assert url_host("http://[::1]:8000/") == "::1"


def test_hostile_names_stay_cheap() -> None:
    for name in ("a-" * 50_000, "/" * 100_000, "staging" * 10_000, "x.bak" * 20_000, "é" * 100_000):
        for kind in ("file", "service", "k8s", "url", "database", "host"):
            environment(Target(kind=kind, name=name, host=name), words=(name,) * 3, effect="deploy")  # type: ignore[arg-type]
        scratch(Target(kind="file", name=name))
        environment_said(name)


# A line, and the environment of its last command that does something.
LINES = [
    ("ssh api.acme.dev systemctl restart api", "production"),
    ("ssh testing-is-fun.com systemctl restart api", "production"),
    ("ssh web1.acme-staging.com systemctl restart api", "staging"),
    ("ssh web5.acme.local systemctl restart api", "production"),
    ("ssh dev.prod.acme.io systemctl restart api", "production"),
    ("ssh prod-bastion-dev systemctl restart api", "production"),
    ("ssh integration-hub.acme.io systemctl restart api", "production"),
    ("ssh preview.acme.io systemctl restart api", "staging"),
    ("ssh rc1.acme.io systemctl restart api", "production"),
    ("ssh web5 systemctl restart test-runner", "production"),
    ("ssh web5 docker restart test-db", "production"),
    ("ssh web5 systemctl restart api-staging", "staging"),
    ("ssh web5 'cd /srv/staging/app && docker compose up -d'", "staging"),
    ("ssh prod-web1 'cd /srv/staging/app && docker compose up -d'", "production"),
    ("cd k8s/overlays/staging && kubectl apply -k .", "staging"),
    ("cd k8s/overlays/staging && kubectl --context acme-prod apply -k .", "production"),
    ("aws --profile dev s3 sync dist s3://acme-prod-site", "production"),
    ("aws --profile dev s3 sync dist s3://acme-site", "development"),
    ("ssh -p 2222 vagrant@127.0.0.1 'sudo systemctl restart app'", "local"),
    ("ssh ::1 systemctl restart app", "local"),
    ("ssh web5 'ssh localhost systemctl restart app'", "production"),
    ("scp -P 2222 app.conf root@127.0.0.1:/etc/app.conf", "local"),
    ("ssh -i ~/.ssh/dev_key root@web5 systemctl restart api", "production"),
    ("ssh test@web5 systemctl restart api", "production"),
    ("ssh web5 'sudo -u test systemctl restart api'", "production"),
    ("ssh web5 'echo dev > /etc/app/mode'", "production"),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_environments_of_lines(line: str, expected: str) -> None:
    commands = [c for c in shell.read(line, directory=WORKING_COPY) if c.effect not in ("none", "read")]
    assert commands[-1].environment == expected, commands[-1].environment_reason
