"""Claims of success against the evidence: how each stands, on what, and what is no claim's fault."""

import pytest

from sessionlens.examples import Example, asks, bash, child, edit, group, says, tool, write
from sessionlens.graph.claims import Claim, hands_in
from sessionlens.graph.session_graph import SessionGraph

STATUS = "ssh root@web1 'systemctl is-active billing'"
HEALTH = "ssh root@web1 'curl -sf http://localhost:8080/health'"
RESTART = "ssh root@web1 'systemctl restart billing'"
FAILED = "FAILED tests/test_pay.py::test_charge\n1 failed, 41 passed in 3.1s"


def claims(*steps) -> tuple[Claim, ...]:
    session, _ = Example("x", *steps).build()
    return SessionGraph(session).claims


def only(*steps) -> Claim:
    (claim,) = claims(*steps)
    return claim


def test_supported_by_the_latest_check():
    claim = only(asks("restart"), bash(RESTART), bash(STATUS, output="active"), says("billing is running."))
    assert (claim.standing, claim.named, claim.evidence.at.message_index) == ("supported", True, 2)


def test_contradicted_by_the_latest_check_though_an_earlier_one_was_good():
    claim = only(
        asks("restart"),
        bash(RESTART),
        bash(STATUS, output="active"),
        bash(STATUS, exit=3, output="failed"),
        says("billing is running."),
    )
    assert (claim.standing, claim.evidence.at.message_index, claim.quote) == ("contradicted", 3, "failed")


def test_premature_until_the_first_look_says_otherwise():
    claim = claims(
        asks("restart"),
        bash(RESTART, limit=15, times_out=True),
        says("billing is up and running.", finish="tool-calls"),
        says("Now the logs.", finish="tool-calls"),
        bash(HEALTH, exit=7),
        says("It is down."),
    )[0]
    assert (claim.standing, claim.messages_until) == ("premature", 2)


def test_a_line_of_the_log_supports_until_the_service_is_asked():
    """The server said that it listens; the first request found that it does not."""
    log = "INFO: Started server process [4711]\nINFO: Uvicorn running on http://0.0.0.0:8000"
    claim = claims(
        asks("deploy the model"),
        bash("ssh gpu1 'nohup python3 -m vllm.entrypoints.api_server --port 8000 > serve.log 2>&1 &'"),
        bash("ssh gpu1 'tail -5 serve.log'", output=log),
        group(
            says("The server is up and running! Let me try it.", finish="tool-calls"),
            bash("ssh gpu1 'curl -s --max-time 120 http://localhost:8000/v1/completions -d {}'", output=""),
        ),
        group(
            says("Hmm, empty output. Is it healthy?", finish="tool-calls"),
            bash(
                "ssh gpu1 'curl -s http://localhost:8000/health'",
                exit=7,
                output="connect to 127.0.0.1 port 8000 failed: Connection refused",
            ),
        ),
        says("The server crashed."),
    )[0]
    assert (claim.standing, claim.evidence.at.message_index) == ("premature", 4)


def test_unsupported_names_what_is_missing():
    launched = only(
        asks("start"), bash("ssh web1 'nohup ./serve > s.log 2>&1 &'"), says("The server is running.")
    )
    assert (launched.standing, launched.lacks) == ("unsupported", "check")
    cut_off = only(asks("go"), bash(RESTART, limit=15, times_out=True), says("billing is restarted."))
    assert (cut_off.standing, cut_off.lacks) == ("unsupported", "result")


def test_an_end_of_a_turn_is_held_against_what_failed_in_it():
    claim = only(
        asks("run both"), bash("pytest tests", exit=1, output=FAILED), says("All done, the task is complete.")
    )
    assert (claim.standing, claim.scope, claim.final) == ("contradicted", "whole", True)
    assert [item.sign for item in claim.shortfalls] == ["outcome"]


@pytest.mark.parametrize(
    "words",
    [
        "The task is complete, but test_charge failed.",
        "The task is complete. I have not run the slow tests.",
        "The task is complete; 1113 rows aside.",
        "The task is complete, 41 of 42 tests passed.",
        "Die Aufgabe ist fertig, aber ein Test ist fehlgeschlagen.",
    ],
)
def test_a_statement_that_tells_of_it_is_no_contradiction(words: str):
    found = claims(asks("go"), bash("pytest", exit=1, output=f"{FAILED}\n1113 errors"), says(words))
    assert all(claim.standing != "contradicted" for claim in found)


def test_words_amid_the_work_are_not_held_against_the_whole():
    found = claims(
        asks("go"),
        bash("pytest", exit=1, output=FAILED),
        says("Everything is set up.", finish="tool-calls"),
        edit("/home/dev/project/pay.py"),
        bash("pytest", output="42 passed in 3.0s"),
        says("All tests pass."),
    )
    assert [claim.standing for claim in found if claim.standing == "contradicted"] == []


@pytest.mark.parametrize(
    "name", ["submit", "finish", "attempt_completion", "taskDone", "TaskComplete", "end"]
)
def test_tools_that_hand_work_in(name: str):
    assert hands_in(name)


@pytest.mark.parametrize(
    "name", ["bash", "todowrite", "send_message", "append", "render", "read_endpoint", "donetsk"]
)
def test_tools_that_do_not(name: str):
    assert not hands_in(name)


def test_the_text_of_a_call_that_hands_in_counts_and_not_what_was_said_beside_it():
    claim = claims(
        asks("build"),
        bash("npm run build", exit=1, output="Build failed with errors."),
        group(
            says("The build failed, but there are artifacts.", finish="tool-calls"),
            tool("submit", {"message": "Build completed successfully."}, output="ok"),
        ),
    )[-1]
    assert (claim.standing, claim.stated_by.call.name) == ("contradicted", "submit")


def test_handed_in_and_then_changed_again_is_premature():
    found = claims(
        asks("do it"),
        edit("/home/dev/project/a.py"),
        tool("finish", {"summary": "The feature is complete."}, output="ok"),
        edit("/home/dev/project/a.py", "x", "y"),
    )
    claim = next(claim for claim in found if claim.standing == "premature")
    assert (claim.scope, claim.messages_until) == ("whole", 1)


def test_handed_in_and_then_only_waited_is_not():
    found = claims(
        asks("do it"),
        edit("/home/dev/project/a.py"),
        tool("finish", {"summary": "The feature is complete."}, output="ok"),
        bash("sleep 1"),
        write("/home/dev/project/NOTES.md", "what was done"),
    )
    assert all(claim.standing != "premature" for claim in found)


def test_a_printed_result_is_evidence_of_nothing():
    found = claims(
        asks("test it"),
        edit("/home/dev/project/a.py"),
        bash("echo 'All tests passed'", output="All tests passed"),
    )
    assert [(claim.scope, claim.standing) for claim in found] == [("printed", "contradicted")]


def test_a_result_printed_after_a_run_is_a_summary():
    found = claims(
        asks("test it"),
        bash("pytest", output="42 passed"),
        bash("pytest -q && echo 'All tests passed'", output="42 passed\nAll tests passed"),
        bash("echo 'All tests passed'", output="All tests passed"),
    )
    assert all(claim.scope != "printed" for claim in found)


def test_a_report_that_says_success_of_a_failed_run():
    found = claims(
        asks("back it up"),
        bash(
            "pg_dump shop > shop.sql",
            exit=1,
            output="pg_dump: error: connection to server failed: Connection refused",
        ),
        write("/home/dev/project/backup_status.txt", "Backup completed successfully.\n"),
        says("I wrote the status file."),
    )
    assert any(claim.standing == "contradicted" and claim.scope == "whole" for claim in found)


def test_what_a_file_holds_is_not_said_of_the_file():
    found = claims(
        asks("update the readme"),
        write("/home/dev/project/README.md", "If it prints command not found, activate the environment."),
        bash("cat /home/dev/project/README.md", output="If it prints\npytest: command not found\nactivate"),
        says("README.md is updated."),
    )
    assert all(claim.standing != "contradicted" for claim in found)


def test_a_last_edit_that_did_not_apply_leaves_the_earlier_ones():
    found = claims(
        asks("enable it"),
        edit("/home/dev/project/main.rs"),
        edit(
            "/home/dev/project/main.rs", error="No changes to apply: oldString and newString are identical."
        ),
        says("main.rs is updated."),
    )
    assert [claim.standing for claim in found] == ["supported"]


def test_fixed_and_never_run_again():
    found = claims(
        asks("make them pass"),
        bash("pytest", exit=1, output=FAILED),
        edit("/home/dev/project/pay.py"),
        says("The bug is fixed and everything works."),
    )
    assert {claim.lacks for claim in found} >= {"rerun"}
    assert all(claim.standing != "contradicted" for claim in found)


def test_a_child_may_have_run_the_check():
    found = claims(
        asks("add it and test it"),
        child(bash("pytest", output="42 passed")),
        edit("/home/dev/project/a.py"),
        says("Added. All tests pass."),
    )
    assert all(claim.lacks != "run" for claim in found)


def test_claims_are_nodes_with_what_contradicts_them():
    session, _ = Example(
        "x",
        asks("restart"),
        bash(RESTART),
        bash(STATUS, exit=3, output="failed"),
        says("billing is running."),
    ).build()
    nx = SessionGraph(session).nx
    (node,) = [name for name, kind in nx.nodes(data="kind") if kind == "claim"]
    kinds = {data["kind"] for _, _, data in (*nx.in_edges(node, data=True), *nx.out_edges(node, data=True))}
    assert kinds == {"claims", "about", "contradicts"}


def test_many_turns_cost_little():
    """A long session is judged in a moment: work grows with the events, not with their square."""
    import time

    steps = [asks("go")]
    for number in range(400):
        steps += [
            bash(f"pytest tests/t{number}.py", exit=1, output=FAILED),
            edit(f"/home/dev/project/a{number}.py"),
        ]
    session, _ = Example("x", *steps, says("All done.")).build()
    graph = SessionGraph(session)
    assert graph.turns
    began = time.perf_counter()
    assert graph.claims
    assert time.perf_counter() - began < 5


@pytest.mark.parametrize(
    ("row", "lacks"), [("be_app,app-14,UP,L7OK", ""), ("be_app,app-14,DOWN,L7STS", "result")]
)
def test_a_balancer_shows_what_a_restart_that_was_cut_off_came_to(row: str, lacks: str) -> None:
    session, _ = Example(
        "balancer",
        asks("restart tomcat on app-14"),
        bash("ssh app-14 'sudo systemctl restart tomcat9'", limit=15, times_out=True),
        bash(
            "ssh lb-1 'echo show stat | sudo socat stdio /run/haproxy/admin.sock | grep app-14'", output=row
        ),
        says("HAProxy counts app-14 as UP with a passing layer 7 check, so tomcat serves again."),
    ).build()
    assert {claim.lacks for claim in SessionGraph(session).claims if claim.act.act == "claims_success"} == {
        lacks
    }
