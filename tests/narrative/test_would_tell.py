"""Next commands, spelled out for one target, never from unsafe names."""

from __future__ import annotations

import pytest

from sessionlens.narrative.would_tell import spell
from sessionlens.shell.command import Command
from sessionlens.targets import Target


def lines(target: Target, *words: str, via: tuple[str, ...] = ()) -> list[str]:
    command = Command(words=words or ("true",), via=via, target=target)
    return [line for line, _ in spell(target, [command])]


def test_systemd_over_ssh_with_sudo() -> None:
    target = Target(kind="service", name="vllm", host="gpu7")
    found = lines(target, "systemctl", "restart", "vllm", via=("ssh -p 2222 ops@gpu7", "sudo"))
    assert found[0] == "ssh -p 2222 ops@gpu7 sudo systemctl status vllm.service --no-pager"
    assert found[1] == "ssh -p 2222 ops@gpu7 sudo journalctl -u vllm.service -n 50 --no-pager"


@pytest.mark.parametrize(
    ("target", "words", "expected"),
    [
        (Target(kind="container", name="web"), ("docker", "restart", "web"), "docker logs --tail 50 web"),
        (Target(kind="compose", name="api"), ("docker", "compose", "-f", "prod.yml", "up", "-d", "api"),
         "docker compose -f prod.yml ps api"),
        (Target(kind="k8s", name="deployment/api", namespace="shop", context="prod"),
         ("kubectl", "rollout", "restart", "deployment/api"),
         "kubectl --context prod rollout status deployment/api --namespace shop --timeout=60s"),
        (Target(kind="k8s", name="shop", namespace="shop"), ("helm", "upgrade", "shop", "."),
         "helm status shop --namespace shop"),
        (Target(kind="service", name="api"), ("pm2", "restart", "api"), "pm2 describe api"),
        (Target(kind="service", name="worker"), ("supervisorctl", "restart", "worker"), "supervisorctl status worker"),
        (Target(kind="service", name="nginx"), ("systemctl", "reload", "nginx"), "nginx -t"),
        (Target(kind="database", name="shop"), ("psql", "-h", "db1", "-c", "ALTER TABLE x"), "psql -h db1 -d shop -c 'SELECT 1'"),
        (Target(kind="file", name="/etc/nginx/sites-enabled/shop"), ("tee", "x"), "nginx -t"),
        (Target(kind="file", name="/etc/ssh/sshd_config"), ("tee", "x"), "sshd -t"),
        (Target(kind="file", name="/etc/sysctl.d/90-net.conf"), ("tee", "x"), "sysctl --all"),
        (Target(kind="host", name="web1", host="web1"), ("reboot",), "ssh web1 uptime"),
        (Target(kind="process", name="server.py"), ("python", "server.py"), "pgrep -af server.py"),
        (Target(kind="url", name="https://shop.example/health"), ("curl", "x"), "curl -fsS https://shop.example/health"),
        (Target(kind="repository", name="main"), ("git", "push"), "git ls-remote origin main"),
        (
            Target(kind="repository", name="#12"),
            ("gh", "pr", "merge", "12"),
            "gh pr view 12 --json state,mergeCommit,statusCheckRollup",
        ),
        (Target(kind="repository", name="!7"), ("glab", "mr", "merge", "7"), "glab mr view 7"),
        (Target(kind="repository", name="881"), ("gh", "run", "rerun", "881"), "gh run view 881"),
        (Target(kind="cron", name=""), ("crontab", "x"), "crontab -l"),
    ],
)  # fmt: skip
def test_kinds_of_targets(target: Target, words: tuple[str, ...], expected: str) -> None:
    assert expected in lines(target, *words)


@pytest.mark.parametrize(
    "name", ["", "-rf", "a\nb", "x\x1b[31m", "$SERVICE", "`id`", "a*", "unit\u202e", "<script>", "{{ name }}"]
)
def test_unsafe_names_spell_nothing(name: str) -> None:
    assert lines(Target(kind="service", name=name), "systemctl", "restart", name) == []


def test_shell_signs_in_a_name_are_quoted() -> None:
    found = lines(Target(kind="file", name="/etc/app/my file;rm"), "tee", "x")
    assert found == ["stat '/etc/app/my file;rm'"]
    remote = lines(Target(kind="file", name="/etc/app/my file;rm", host="h1"), "tee", "x", via=("ssh h1",))
    assert remote == ["""ssh h1 'stat '"'"'/etc/app/my file;rm'"'"''"""]


def test_options_of_ssh_that_run_something_are_left_out() -> None:
    target = Target(kind="service", name="vllm", host="gpu7")
    found = lines(target, "systemctl", "restart", "vllm", via=("ssh -o ProxyCommand=evil -i key.pem gpu7",))
    assert found[0].startswith("ssh -i key.pem gpu7 systemctl")
    assert "evil" not in "".join(found)


def test_an_address_that_the_session_asked_is_asked_again() -> None:
    target = Target(kind="service", name="vllm", host="gpu7")
    asked = Command(
        words=("curl", "-u", "me:secret", "http://me:secret@gpu7:8000/health?key=1"), target=target
    )
    found = [line for line, _ in spell(target, [asked])]
    assert "curl -fsS http://gpu7:8000/health" in found
    assert "secret" not in "".join(found)
