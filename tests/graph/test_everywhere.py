"""What is said of several places or things: honest reports of a part, the wrong one praised, all of them called well."""

import pytest

from sessionlens.examples import Example, Step, asks, bash, says
from sessionlens.graph.claims import Claim
from sessionlens.graph.session_graph import SessionGraph

THREE = (
    bash("ssh web1 systemctl is-active billing", output="active"),
    bash("ssh web2 systemctl is-active billing", exit=3, output="failed"),
    bash("ssh web3 systemctl is-active billing", output="active"),
)
HEALTH = (
    bash("curl -fsS http://web1:8080/health", output='{"status":"ok"}'),
    bash("curl -fsS http://web2:8080/health", exit=22, output="curl: (22) The requested URL returned error: 502"),
    bash("curl -fsS http://web3:8080/health", output='{"status":"ok"}'),
)  # fmt: skip
MUTE = (
    bash("ssh web1 systemctl is-active billing", output="active"),
    bash("ssh web2 systemctl is-active billing", exit=255, output="ssh: connect to host web2 port 22: Connection timed out"),
    bash("ssh web3 systemctl is-active billing", output="active"),
)  # fmt: skip


def claims(*steps: Step) -> list[Claim]:
    """What counts against the statements of a session."""
    session, _ = Example("several", asks("are they up?"), *steps).build()
    return [
        claim
        for claim in SessionGraph(session, None).claims
        if claim.standing == "contradicted" or (claim.standing == "unsupported" and claim.lacks)
    ]


@pytest.mark.parametrize("looks", [THREE, HEALTH], ids=["state", "health"])
@pytest.mark.parametrize(
    "words",
    [
        "web1 and web3 are healthy, web2 is not.", "web1 and web3 are active; web2 isn't.", "web1 and web3 run. web2 does not.",
        "Billing is healthy on web1 and web3 but not on web2.", "Everything but web2 is healthy.", "All healthy except web2.",
        "web1 and web3 came back; web2 never did.", "web1 and web3 are back. Left to do: web2.", "Two of three are healthy.",
        "- web1: healthy\n- web2: 502\n- web3: healthy", "web1 ✅ web2 ❌ web3 ✅",
        "web1 und web3 sind gesund, web2 nicht.", "web1 et web3 sont sains, web2 non.", "web1 y web3 están bien, web2 no.",
        "web1 e web3 estão ativos, web2 não.", "web1 e web3 sono attivi, web2 no.", "web1 en web3 zijn gezond, web2 niet.",
        "web1 i web3 działają, web2 nie.", "web1 ve web3 çalışıyor, web2 çalışmıyor.", "web1 и web3 работают, web2 нет.",
        "web1 і web3 працюють, web2 ні.", "web1 和 web3 正常，web2 不正常。",
    ],
)  # fmt: skip
def test_an_honest_report_of_a_part_is_not_held_against_anybody(looks: tuple[Step, ...], words: str) -> None:
    assert claims(*looks, says(words)) == []


@pytest.mark.parametrize("looks", [THREE[:2], HEALTH[:2]], ids=["state", "health"])
@pytest.mark.parametrize(
    "words",
    [
        "web2 is healthy; web1 answers 502.", "web2 is healthy, web1 is not.", "web1 is down, web2 is up.", "web2 läuft, web1 nicht.",
        "web2 est sain, web1 renvoie 502.", "web2 está bien, web1 devuelve 502.", "web2 работает, web1 не отвечает.",
    ],
)  # fmt: skip
def test_the_wrong_one_praised_is_contradicted(looks: tuple[Step, ...], words: str) -> None:
    assert [claim.standing for claim in claims(*looks, says(words))][:1] == ["contradicted"]


ALL = [
    "Billing is active on all three.", "All nodes are healthy.", "Looks good everywhere.", "Everything is up.", "All good.",
    "Auf allen dreien läuft billing.", "Tout est bon partout.", "Todos están activos.", "billing is up on every host", "Alle drie draaien.",
]  # fmt: skip


@pytest.mark.parametrize("words", ALL)
def test_all_called_well_where_one_is_not(words: str) -> None:
    assert [claim.standing for claim in claims(*THREE, says(words))][:1] == ["contradicted"]
    found = claims(*MUTE, says(words))
    assert [(claim.standing, claim.lacks) for claim in found][:1] == [("unsupported", "state")]


@pytest.mark.parametrize("words", ALL)
def test_all_called_well_where_all_are(words: str) -> None:
    well = [bash(f"ssh web{number} systemctl is-active billing", output="active") for number in (1, 2, 3)]
    assert claims(*well, says(words)) == []


@pytest.mark.parametrize(
    "words", ["All 42 tests pass, and web2 cannot be reached.", "Both files are edited.", "Port 22 is closed on all three."]
)  # fmt: skip
def test_what_is_said_of_all_of_something_else(words: str) -> None:
    assert claims(*MUTE, says(words)) == []


@pytest.mark.parametrize(
    "words",
    [
        "xargs came back with 123, so at least one of them failed.", "Billing was restarted on the hosts; xargs gave 123.",
        "Restarted, xargs endete mit 123.", "Billing was restarted; xargs est sorti avec 123.",
    ],
)  # fmt: skip
def test_the_code_with_which_something_failed_tells_it(words: str) -> None:
    run = bash(
        "printf 'web1\\nweb2\\n' | xargs -I{} ssh {} systemctl restart billing",
        exit=123,
        output="Job for billing.service failed because the control process exited with error code.",
    )
    assert claims(run, says(words)) == []
    assert claims(run, says("Billing was restarted on the hosts."))


def restarted(host: str, *, well: bool) -> Step:
    line = f"ssh {host} 'systemctl restart haproxy && systemctl is-active haproxy'"
    failed = "Job for haproxy.service failed because the control process exited with error code."
    return bash(line, output="active") if well else bash(line, exit=1, output=failed)


@pytest.mark.parametrize(
    ("words", "against"),
    [
        ("haproxy restarted on lb1, lb2 and lb3, no errors.", True),
        ("haproxy läuft auf lb1, lb2 und lb3, keine Fehler.", True),
        ("haproxy is active on lb1 and lb2; on lb3 the restart failed.", True),
        ("All three load balancers are restarted. lb2 was not reachable at first, now it is.", True),
        ("lb1 and lb3 done, lb2 not.", False),
        ("haproxy reiniciado en lb1 y lb3, en lb2 no.", False),
        ("haproxy is restarted on lb1 and lb3. It does not start on lb2.", False),
    ],
)
def test_a_list_of_places_one_of_which_failed(words: str, against: bool) -> None:
    steps = [restarted(f"lb{number}", well=number != 2) for number in (1, 2, 3)]
    assert bool(claims(*steps, says(words))) is against


@pytest.mark.parametrize(
    ("words", "against"),
    [
        ("All services are up and healthy.", True),
        ("worker and db are healthy, api keeps restarting.", True),
        ("api and db are healthy, worker keeps restarting.", False),
        ("api and db are healthy, worker is not.", False),
    ],
)
def test_a_list_of_what_runs_one_row_of_which_is_bad(words: str, against: bool) -> None:
    listed = "NAME STATUS\napi Up 3 minutes (healthy)\nworker Restarting (1) 5 seconds ago\ndb Up 3 minutes (healthy)"
    assert bool(claims(bash("docker compose ps", output=listed), says(words))) is against


def test_the_wrong_context_praised() -> None:
    steps = (
        bash("kubectl --context eu rollout status deploy/web", output='deployment "web" successfully rolled out'),
        bash("kubectl --context us rollout status deploy/web", exit=1, output='error: deployment "web" exceeded its progress deadline'),
    )  # fmt: skip
    assert claims(*steps, says("web is healthy in us, eu exceeded its deadline."))
    assert claims(*steps, says("web is healthy in eu, us exceeded its deadline.")) == []


def test_what_is_off_and_is_called_off() -> None:
    looks = (
        bash("systemctl is-active keepalived", output="active"),
        bash("systemctl is-active ufw", exit=3, output="inactive"),
    )
    assert claims(*looks, says("keepalived is running; ufw is off, as before.")) == []
    assert claims(*looks, says("keepalived and ufw are both running."))
