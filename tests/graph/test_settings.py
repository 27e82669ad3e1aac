"""Which environment a command acts in: what the person says, and what earlier commands set."""

from __future__ import annotations

from typing import Any

import pytest

from sessionlens.examples import Example, asks, bash, says
from sessionlens.graph.events import Ran
from sessionlens.graph.session_graph import SessionGraph

EDIT = "ssh root@web5 \"sed -i 's/a/b/' /etc/app/app.conf\""


def environments(*steps: Any) -> list[str]:
    """The environment of every change of a session, in order."""
    session, _ = Example("x", *steps).build()
    graph = SessionGraph(session)
    return [
        graph.setting(event).environment
        for event in graph.events
        if isinstance(event, Ran) and event.change and not event.command.words[0].startswith("gcloud config")
    ]


# What the person says, and the environment that an edit on web5 is in by it. Nothing but a host says more.
SAYS = [
    # named, pointed at, all around
    ("web5 is our staging box, change app.conf there", "staging"),
    ("change app.conf on web5, that's staging", "staging"),
    ("change app.conf on web5 (staging)", "staging"),
    ("change app.conf on our staging server", "staging"),
    ("Please set b on the staging host web5.", "staging"),
    ("web5 and web6 are both staging; set b on them", "staging"),
    ("set b on web5 and web6, both are staging", "staging"),
    ("This is only a test environment. Set b on web5.", "development"),
    ("set b. this server is just for testing", "development"),
    ("web5 ist unser Testserver, ändere app.conf", "development"),
    ("ändere app.conf auf web5, das ist nur der Testserver", "development"),
    ("web5 est notre serveur de test, modifie app.conf", "development"),
    ("cambia app.conf en web5, es el servidor de pruebas", "development"),
    ("cambia app.conf su web5, è in collaudo", "staging"),
    ("mude app.conf em web5, é o ambiente de homologação", "staging"),
    ("поменяй app.conf на web5, это тестовый сервер", "development"),
    ("web5是测试环境，改一下app.conf", "development"),
    ("web5はステージングです。app.confを変えて", "staging"),
    ("web5 is not production, go ahead", "development"),
    ("you can't break anything, it's staging", "staging"),
    ("don't worry, web5 is only staging", "staging"),
    ("api does not start on staging, please fix it", "staging"),
    ("set it as root on staging please", "staging"),
    # other hosts
    ("stg1 is the staging box. change app.conf on web5", "production"),
    ("stg1 is staging, web5 is the real thing", "production"),
    ("try on stg1, our staging box, first and then change web5", "production"),
    ("copy app.conf from 10.0.0.9 (staging) to web5", "production"),
    ("10.0.0.9 is staging, do the same on web5", "production"),
    ("On staging use a, on web5 use b", "production"),
    # excluded
    ("change web5, but don't touch staging", "production"),
    ("change web5 instead of the staging server", "production"),
    ("change app.conf on web5, never on the test server", "production"),
    ("ändere web5, nicht den Testserver", "production"),
    ("ändere web5 und nicht auf dem Testsystem", "production"),
    ("change web5 rather than staging", "production"),
    ("change web5 without going through staging", "production"),
    ("modifie web5, pas le serveur de test", "production"),
    ("cambia web5, no el servidor de pruebas", "production"),
    ("поменяй на web5, не на тестовом сервере", "production"),
    ("改web5，不要动测试环境", "production"),
    # before, elsewhere, later
    ("I tested it on staging. Set b now.", "production"),
    ("it works on staging, set b on web5", "production"),
    ("staging is done, now web5", "production"),
    ("staging was fine, go on with web5", "production"),
    ("we did that on the staging cluster yesterday, now web5 please", "production"),
    ("same change as on staging please, on web5", "production"),
    ("make web5 like staging", "production"),
    ("auf dem Testserver lief es, jetzt web5", "production"),
    ("sur le serveur de test ça marche, maintenant web5", "production"),
    ("en el servidor de pruebas ya funciona, ahora web5", "production"),
    ("на тестовом сервере работает, теперь web5", "production"),
    ("测试环境已经试过了，现在改web5", "production"),
    ("copy the config from staging", "production"),
    ("set b, we'll do staging later", "production"),
    ("when staging is up again, set b", "production"),
    ("is web5 staging?", "production"),
    ("which one is staging?", "production"),
    # people, parts, names
    ("the dev team needs b", "production"),
    ("our staging team asked for b", "production"),
    ("the dev wants b", "production"),
    ("add a staging section to app.conf", "production"),
    ("remove staging from the list in app.conf", "production"),
    ("set the staging url in app.conf", "production"),
    ("rename the key to `staging`", "production"),
    ("turn off development mode in app.conf", "production"),
    ("use the values-staging.yaml as a template", "production"),
    ("bring the settings for staging over", "production"),
    ("drop the test users", "production"),
    ("```\nenv staging\n``` set b", "production"),
    ("install the dev dependencies", "production"),
    ("set b, but not on production", "production"),
    ("do not deploy this to production yet, set b", "production"),
    ("staging: 10.0.0.9\nprod: web5\n\nset b", "production"),
    ("hosts: web5 (production), stg1 (staging). set b", "production"),
    ("staging: web5, web6\nset b there", "staging"),
    ("our staging server 10.0.0.9 has b already, do it on web5", "production"),
    # nothing, and both
    ("set b", "production"),
    ("first on staging, then on production", "production"),
    ("web5 is production, not staging!", "production"),
]


@pytest.mark.parametrize(("text", "expected"), SAYS)
def test_what_the_person_says(text: str, expected: str) -> None:
    assert environments(asks(text), bash(EDIT), says("ok")) == [expected]


# What earlier commands set or showed, the command that follows, and its environment.
POINTED = [
    ("kubectl config use-context acme-staging", "", "kubectl rollout restart deploy/cart", "staging"),
    ("kubectl config use-context acme-prod", "", "kubectl rollout restart deploy/cart", "production"),
    ("kubectl config use-context gke_acme_eu_1", "", "kubectl rollout restart deploy/cart", "production"),
    ("kubectl config use-context kind-dev", "", "helm upgrade api ./chart", "local"),
    ("kubectl config use-context acme-staging", "", "kubectl --context acme-prod apply -f k8s/", "production"),
    ("kubectl config use-context acme-prod", "", "kubectl -n staging apply -f k8s/", "staging"),
    ("kubectx acme-stg", "", "kubectl set image deploy/api api=x:2", "staging"),
    ("kubens staging", "", "kubectl apply -f k8s/", "staging"),
    ("kubectl config set-context --current --namespace=shop-dev", "", "kubectl delete deploy api", "development"),
    ("kubectl config current-context", "acme-staging", "kubectl apply -f k8s/", "staging"),
    ("kubectl config get-contexts", "CURRENT   NAME   CLUSTER\n*         acme-prod   acme-prod\n          stg   stg", "kubectl apply -f k8s/", "production"),
    ("aws eks update-kubeconfig --name acme-staging --region eu-1", "Updated context", "kubectl apply -f k8s/", "staging"),
    ("gcloud container clusters get-credentials prod-eu --zone x", "", "helm upgrade api ./chart", "production"),
    ("gcloud config set project acme-dev", "Updated property [core/project].", "gcloud run deploy api --image x:2", "development"),
    ("gcloud config set project acme-dev", "", "gcloud run deploy api --image x:2 --project acme-prod", "production"),
    ("gcloud config get-value project", "acme-staging", "gcloud run deploy api --image x:2", "staging"),
    ("gcloud config set project acme-7731", "", "gcloud run deploy api --image x:2", "production"),
    ("export AWS_PROFILE=acme-staging", "", "aws ecs update-service --cluster c --service api --force-new-deployment", "staging"),
    ("export AWS_PROFILE=acme-staging", "", "aws --profile acme-prod ecs update-service --cluster c --service api", "production"),
    ("terraform workspace select staging", "Switched to workspace \"staging\".", "terraform apply -auto-approve", "staging"),
    ("terraform workspace list", "  default\n* staging\n  prod", "terraform apply -auto-approve", "staging"),
    ("terraform workspace select prod", "", "terraform apply -auto-approve", "production"),
    ("pulumi stack select dev", "", "pulumi up -y", "development"),
    ("heroku git:remote -a acme-staging", "set git remote heroku", "git push heroku main", "staging"),
    ("git remote -v", "heroku\thttps://git.heroku.com/acme-staging.git (push)", "git push heroku main", "staging"),
    ("az account set -s acme-test", "", "az webapp deploy -n api -g rg --src-path a.zip", "development"),
    ("firebase use staging", "Now using alias staging", "firebase deploy", "staging"),
    ("docker context use prod", "prod", "docker compose up -d --force-recreate", "production"),
    ("ssh ops1 kubectl config use-context acme-staging", "", "kubectl apply -f k8s/", "unknown"),
    ("ssh ops1 kubectl config use-context acme-staging", "", "ssh ops1 kubectl apply -f k8s/", "staging"),
    ("kubectl config use-context acme-staging", "error: no context exists with the name: \"acme-staging\"", "kubectl apply -f k8s/", "unknown"),
    ("kubectl get pods", "", "kubectl apply -f k8s/", "unknown"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "answer", "then", "expected"), POINTED)
def test_what_earlier_commands_point_at(first: str, answer: str, then: str, expected: str) -> None:
    failed = {"exit": 1} if answer.startswith("error") else {}
    found = environments(
        asks("go"), bash(first, output=answer, **failed), bash(then, output="done"), says("ok")
    )
    assert found[-1] == expected


def test_a_switch_in_the_same_line_counts_and_the_next_one_overrules() -> None:
    line = "kubectl config use-context acme-staging && kubectl apply -f k8s/"
    found = environments(
        asks("go"), bash(line), bash("kubectl config use-context acme-prod"), bash("kubectl apply -f k8s/")
    )
    assert found == ["local", "staging", "local", "production"]


def test_a_context_tells_two_clusters_apart() -> None:
    session, _ = Example(
        "x",
        asks("go"),
        bash("kubectl config use-context acme-prod"),
        bash("kubectl rollout restart deploy/cart"),
        bash("kubectl config use-context acme-staging"),
        bash("kubectl get pods -l app=cart", output="cart-7f9c6d-x2x4q 1/1 Running 0 3m"),
    ).build()
    graph = SessionGraph(session)
    change = next(e for e in graph.events if isinstance(e, Ran) and e.command.effect == "restart")
    check = next(e for e in graph.events if isinstance(e, Ran) and e.check)
    assert change.command.target.context == "acme-prod"
    assert graph.match(check, change.command.target) is None


# Messages one after the other, each followed by the edit on web5, and the environments of the edits.
TURNS = [
    (("do it on staging", "now on production"), ["staging", "production"]),
    (("do it on staging", "great, now the same on web5"), ["staging", "production"]),
    (("web5 is staging. do it", "and again"), ["staging", "staging"]),
    (("this is our test system. do it", "now change web5 as well"), ["development", "development"]),
    (("do it", "by the way, web5 is staging. once more"), ["production", "staging"]),
    (("web5 is staging. do it", "sorry, web5 is production! undo it"), ["staging", "production"]),
    (("web5 is production. do it", "do it on the staging server"), ["production", "production"]),
    (("web6 is staging. do it on web5", "go on"), ["production", "production"]),
    (("do it on staging", "first on staging, then on production"), ["staging", "production"]),
]


@pytest.mark.parametrize(("messages", "expected"), TURNS)
def test_what_is_said_holds_until_something_else_is_said(
    messages: tuple[str, ...], expected: list[str]
) -> None:
    steps = [step for message in messages for step in (asks(message), bash(EDIT), says("ok"))]
    assert environments(*steps) == expected


def test_a_host_that_the_session_shows_under_another_name() -> None:
    edit = "ssh root@10.1.2.3 \"sed -i 's/a/b/' /etc/app/app.conf\""
    assert environments(
        asks("go"), bash("getent hosts stg-web1", output="10.1.2.3  stg-web1"), bash(edit)
    ) == ["staging"]
    assert environments(
        asks("web1 is staging"), bash("ssh root@10.1.2.3 hostname", output="web1"), bash(edit)
    ) == ["staging"]
    assert environments(
        asks("web2 is staging"), bash("ssh root@10.1.2.3 hostname", output="web1"), bash(edit)
    ) == ["production"]
