"""What a command says besides the contract's fields: further names, what it writes, verdicts by exit code."""

from __future__ import annotations

import pytest

from sessionlens.shell import read
from sessionlens.targets import Target


def names(line: str) -> set[str]:
    return {f"{t.kind}:{t.name}" for t in read(line)[-1].also}


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("docker run -d --name web -p 127.0.0.1:8080:80 nginx", "network:8080"),
        ("docker run -d --name web nginx", "container:nginx"),
        ("python -m sglang.launch_server --port 30000", "network:30000"),
        ("nohup ./api --port 9000 > /var/log/api.log 2>&1 &", "file:/var/log/api.log"),
        ("gunicorn -b 0.0.0.0:8000 --pid /run/a.pid a:app", "file:/run/a.pid"),
        ("caddy reload --config /etc/caddy/Caddyfile", "file:/etc/caddy/Caddyfile"),
        ("systemctl restart a b", "service:b"),
        ("cd /etc/nginx && sed -i s/a/b/ nginx.conf", "file:/etc/nginx/nginx.conf"),
        ("kubectl exec deploy/db -- psql -c 'select 1'", "k8s:deployment/db"),
        ("./bin/restart-gateway.sh", "service:gateway"),
        ("for s in {1..64}; do systemctl restart app$s; done", "service:app16"),
    ],
)
def test_further_names(line: str, name: str) -> None:
    assert name in names(line)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("cat > /etc/a <<'E'\nx = 1\nE", "x = 1\n"),
        ("echo 'x = 1' >> /etc/a", "x = 1"),
        ("echo 'x = 1' | sudo tee /etc/a", "x = 1"),
        ("ssh h 'cat > /etc/a' <<'E'\nx = 1\nE", "x = 1\n"),
        ("sed -i 's/a/b/' /etc/a", "s/a/b/"),
        ("psql -c 'UPDATE a SET b=1'", "UPDATE a SET b=1"),
    ],
)
def test_what_is_written(line: str, text: str) -> None:
    assert read(line)[-1].writes == text


@pytest.mark.parametrize(
    "line",
    [
        "test -f a",
        "[ -d a ]",
        "grep -q a b",
        "curl -f http://a",
        "systemctl is-active a",
        "nc -z a 1",
        "nginx -t",
    ],
)
def test_verdict_by_exit(line: str) -> None:
    assert read(line)[0].verdict_by_exit


def test_what_only_puts_into_effect() -> None:
    assert read("systemctl daemon-reload")[0].restarts_in_effect
    assert read("systemctl restart a")[0].restarts_in_effect
    assert not read("systemctl enable a")[0].restarts_in_effect
    assert not read("docker compose up -d --build")[0].restarts_in_effect


def test_piped_filter_names_the_thing_looked_for() -> None:
    assert read("ps aux | grep '[v]llm'")[0].target == Target(kind="process", name="vllm")
    assert read("ss -tlnp | grep ':8000'")[0].target.name == "8000"


def test_scripts_are_low() -> None:
    (command,) = read("./bin/restart.sh")
    assert (command.effect, command.confidence, command.script) == ("restart", "low", True)


@pytest.mark.parametrize(
    ("line", "effect"),
    [
        ("ssh gpu-04 /srv/vllm/relance.sh", "restart"),
        ("./relancer_api.sh", "restart"),
        ("./redémarrage.sh", "restart"),
        ("sh neu_starten.sh", "restart"),
        ("./riavvio.sh", "restart"),
        ("./yeniden-baslat.sh", "restart"),
        ("./iniciar.sh", "start"),
        ("./arret.sh", "stop"),
        ("./ausrollen.sh", "deploy"),
        # In French a reminder is called so too.
        ("python relance_mail.py", "none"),
        ("./balance.sh", "none"),
    ],
)
def test_names_of_scripts_are_read_in_many_languages(line: str, effect: str) -> None:
    (command,) = read(line)
    assert command.effect == effect


def test_setting_in_the_environment_tells_the_environment() -> None:
    assert read("RAILS_ENV=production bundle exec rails db:migrate")[0].environment == "production"


def test_a_change_counts_before_a_check_in_one_text() -> None:
    assert read("psql -c 'SELECT 1; UPDATE a SET b=1; SELECT 2'")[0].effect == "write_data"
    assert read("psql -c \"SELECT ';UPDATE a'\"")[0].effect == "check"


def test_repeated_lines_are_cached() -> None:
    assert read("systemctl status cached") is read("systemctl status cached")
