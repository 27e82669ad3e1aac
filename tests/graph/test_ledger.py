"""The ledger of open operations: what opens one, what closes it, who was told."""

import pytest

from sessionlens.examples import Example, asks, bash, child, group, nothing, says, tool, waits
from sessionlens.graph.events import Called, Ran
from sessionlens.graph.session_graph import SessionGraph

RESTART = "ssh root@app1 'systemctl restart shop'"


def graph_of(*steps):
    session, _ = Example("ledger", *steps).build()
    return SessionGraph(session)


def only(graph):
    assert len(graph.ledger) == 1, [(op.target, op.opened_by) for op in graph.ledger]
    return graph.ledger[0]


def test_a_cut_off_restart_opens_and_a_good_check_closes():
    graph = graph_of(
        asks("restart shop"),
        bash(RESTART, limit=15, times_out=True),
        nothing(),
        asks("and?"),
        bash("ssh root@app1 'systemctl is-active shop'", output="active"),
        says("It is active."),
    )
    operation = only(graph)
    assert (operation.target.kind, operation.target.name, operation.target.host) == (
        "service",
        "shop",
        "app1",
    )
    assert operation.opened_by == "cut_off"
    assert operation.closed_by == "check"
    assert operation.found == "good"
    assert operation.closing.at.message_index == 4
    assert operation.open_messages == 2
    assert operation.acknowledgement is None
    assert operation.match.kind == "same"


def test_a_bad_check_closes_too():
    operation = only(
        graph_of(
            asks("restart"),
            bash(RESTART, limit=15, times_out=True),
            bash("ssh root@app1 'systemctl is-active shop'", exit=3, output="failed"),
        )
    )
    assert (operation.closed_by, operation.found) == ("check", "bad")


def test_a_poll_that_sees_it_on_its_way_does_not_close_what_a_later_check_settles():
    operation = only(
        graph_of(
            asks("restart"),
            bash(RESTART, limit=15, times_out=True),
            bash("ssh root@app1 'systemctl is-active shop'", exit=3, output="activating"),
            waits(60),
            bash("ssh root@app1 'systemctl is-active shop'", output="active"),
        )
    )
    assert operation.found == "good"
    assert operation.closing.at.message_index == 3


def test_never_closed_counts_to_the_end():
    operation = only(
        graph_of(
            asks("restart"), bash(RESTART, limit=15, times_out=True), says("Done."), asks("ok"), says("Fine.")
        )
    )
    assert (operation.closed_by, operation.found, operation.closing) == ("none", None, None)
    assert operation.open_messages == 3
    assert operation.open_ms is not None
    assert operation.open_ms > 15_000


@pytest.mark.parametrize(
    ("step", "opened_by"),
    [
        (bash("nohup ./serve.sh > serve.out 2>&1 &"), "detached"),
        (bash("systemctl restart --no-block shop"), "detached"),
        (bash(RESTART, background=True), "detached"),
        (bash(RESTART, running=True), "running"),
        (bash(RESTART, interrupted=True, took=3), "interrupted"),
        (bash(RESTART, exit=255, output="Connection to app1 closed by remote host."), "connection_lost"),
        (bash("timeout 20 systemctl restart shop", exit=124), "cut_off"),
        (bash("echo begin; sleep 100; echo end", running=True), "running"),
    ],
)
def test_what_opens_an_operation(step, opened_by):
    assert only(graph_of(asks("go"), step)).opened_by == opened_by


@pytest.mark.parametrize(
    "step",
    [
        bash(RESTART, output=""),
        bash("kubectl rollout restart deploy/api && kubectl rollout status deploy/api",
             output='deployment "api" successfully rolled out'),
        bash("cat /etc/hosts", limit=5, times_out=True),
        bash("curl -s http://localhost:8080/health", limit=5, times_out=True),
        bash(RESTART, exit=1, output="Failed to restart shop.service: Unit shop.service not found."),
        bash("helm upgrade api ./chart --dry-run", limit=5, times_out=True),
        bash("ls -la &"),
    ],
)  # fmt: skip
def test_what_opens_none(step):
    assert graph_of(asks("go"), step, says("ok")).ledger == ()


def test_stopping_closes():
    operation = only(
        graph_of(
            asks("go"),
            bash(RESTART, limit=15, times_out=True),
            bash("ssh root@app1 'systemctl stop shop'"),
        )
    )
    assert operation.closed_by == "stop"


def test_a_later_result_of_the_same_process_closes():
    started = tool("exec_command", {"cmd": "./deploy.sh prod"}, output="Process running with session ID 7")
    polled = tool("write_stdin", {"session_id": 7}, output="Process exited with code 0")
    session, _ = Example("poll", asks("deploy"), started, polled, says("ok")).build()
    from msgspec.structs import replace

    first, second = session.messages[1], session.messages[2]
    call = replace(first.calls[0], background=True, exit=None)
    poll = replace(second.calls[0], continues=call.id, exit=0)
    messages = (
        session.messages[0],
        replace(first, parts=(call,)),
        replace(second, parts=(poll,)),
        session.messages[3],
    )
    operation = only(SessionGraph(replace(session, messages=messages)))
    assert (operation.opened_by, operation.closed_by, operation.found) == ("detached", "result", "good")


def test_a_check_of_an_address_belongs_to_the_only_open_start_on_that_host():
    operation = only(
        graph_of(
            asks("go"),
            bash(RESTART, limit=15, times_out=True),
            bash("ssh root@app1 'curl -fsS localhost:9123/health'", output="ok"),
        )
    )
    assert (operation.closed_by, operation.match.kind, operation.match.confidence) == (
        "check",
        "only_open",
        "medium",
    )


def test_but_not_when_two_starts_are_open_there():
    graph = graph_of(
        asks("go"),
        bash(RESTART, limit=15, times_out=True),
        bash("ssh root@app1 'systemctl restart billing'", limit=15, times_out=True),
        bash("ssh root@app1 'curl -fsS localhost:9123/health'", output="ok"),
    )
    assert [operation.closed_by for operation in graph.ledger] == ["none", "none"]


def test_nor_on_another_host():
    operation = only(
        graph_of(
            asks("go"),
            bash(RESTART, limit=15, times_out=True),
            bash("ssh root@app2 'curl -fsS localhost:9123/health'", output="ok"),
        )
    )
    assert operation.closed_by == "none"


def test_a_start_stays_open_whether_or_not_it_was_reached():
    operation = only(
        graph_of(
            asks("go"), bash("sleep 30 && ssh root@app1 systemctl restart shop", limit=15, times_out=True)
        )
    )
    assert operation.target.name == "shop"
    assert operation.reached in ("no", "unknown")


def test_a_child_leaves_it_to_the_parent():
    graph = graph_of(
        asks("have shop restarted"),
        child(bash(RESTART, limit=15, times_out=True), says("The restart timed out."), prompt="restart shop"),
        says("Shop is restarted."),
    )
    operation = only(graph)
    assert operation.event.at.session != graph.session.id
    assert operation.acknowledgement is None


def test_and_the_parent_can_check_it():
    operation = only(
        graph_of(
            asks("have shop restarted"),
            child(bash(RESTART, limit=15, times_out=True), nothing(), prompt="restart shop"),
            bash("ssh root@app1 systemctl is-active shop", output="active"),
            says("Shop is active."),
        )
    )
    assert (operation.closed_by, operation.found) == ("check", "good")


def test_told_by_the_next_prose():
    operation = only(
        graph_of(
            asks("go"),
            bash(RESTART, limit=15, times_out=True),
            says("That timed out; it may still be restarting."),
        )
    )
    said, act = operation.acknowledgement
    assert said.at.message_index == 2
    assert act.act in ("acknowledges_cut_off", "reports_in_progress")


def test_told_about_something_else_is_not_told():
    operation = only(
        graph_of(
            asks("restart shop, and have a look at the billing tests"),
            bash(RESTART, limit=15, times_out=True),
            bash("pytest tests/billing", exit=1, output="2 failed"),
            says("Two tests of billing failed."),
        )
    )
    assert operation.acknowledgement is None


def test_a_promise_redeemed_elsewhere_is_no_word_about_it():
    operation = only(
        graph_of(
            asks("restart shop"),
            bash(RESTART, limit=15, times_out=True),
            group(says("Let me check the README."), tool("read", {"filePath": "README.md"}, output="# Shop")),
            says("The README is fine."),
        )
    )
    assert operation.acknowledgement is None


def test_events_carry_their_position():
    graph = graph_of(asks("a"), bash("ls", output="x"), says("b"))
    assert [event.seq for event in graph.events] == list(range(len(graph.events)))
    for event in graph.events:
        if isinstance(event, Ran):
            assert isinstance(graph.events[event.call.seq], Called)


def test_a_failure_of_something_else_is_no_word_about_it_even_where_it_names_the_target():
    operation = only(
        graph_of(
            asks("restart shop and run its tests"),
            bash(RESTART, limit=15, times_out=True),
            bash("pytest tests/shop", exit=1, output="2 failed"),
            says("Two tests of shop failed."),
        )
    )
    assert operation.acknowledgement is None


def test_told_in_a_later_turn_by_name():
    operation = only(
        graph_of(
            asks("restart shop"),
            bash(RESTART, limit=15, times_out=True),
            says("Anything else?"),
            asks("what is open?"),
            says("The restart of shop was cut off earlier, so I do not know its state."),
        )
    )
    assert operation.acknowledgement[0].at.message_index == 4


def test_a_poll_of_the_same_process_follows_it_up():
    from msgspec.structs import replace

    started = tool(
        "exec_command", {"cmd": "ssh root@app1 'systemctl restart shop'"}, output="running, session 7"
    )
    polled = tool("write_stdin", {"session_id": 7}, output="Process exited with code 0")
    session, _ = Example("poll", asks("restart"), started, polled, says("Shop is restarted.")).build()
    first, second = session.messages[1], session.messages[2]
    call = replace(first.calls[0], background=True, exit=None)
    poll = replace(second.calls[0], continues=call.id, exit=0)
    messages = (
        session.messages[0],
        replace(first, parts=(call,)),
        replace(second, parts=(poll,)),
        session.messages[3],
    )
    graph = SessionGraph(replace(session, messages=messages))
    handled = graph.handling(only(graph))
    assert handled.polled is not None
    assert handled.followed_up


@pytest.mark.parametrize(
    ("said", "of_first", "of_second"),
    [
        ("app2 did not come back within 15 s.", False, True),
        ("The restart on app1 was cut off, app2 is up.", True, False),
        ("Both restarts ran into the limit.", True, True),
    ],
)
def test_words_about_one_host_are_not_about_another(said, of_first, of_second):
    graph = graph_of(
        asks("restart shop on both"),
        bash(RESTART, limit=15, times_out=True),
        bash(RESTART.replace("app1", "app2"), limit=15, times_out=True),
        says(said),
    )
    assert [op.acknowledgement is not None for op in graph.ledger] == [of_first, of_second]


def test_words_about_one_service_are_not_about_another():
    graph = graph_of(
        asks("restart both"),
        bash("ssh root@app1 'systemctl restart nginx'", limit=15, times_out=True),
        bash("ssh root@app1 'systemctl restart postgresql'", limit=15, times_out=True),
        says("I couldn't confirm that postgres is back; nginx is fine."),
    )
    assert [op.acknowledgement is not None for op in graph.ledger] == [False, True]


def test_a_full_disk_is_nothing_that_goes_on():
    operation = only(
        graph_of(
            asks("restart"),
            bash(RESTART, limit=15, times_out=True),
            says("The disk is at 71 %."),
        )
    )
    assert operation.acknowledgement is None


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("The disk check did not finish in time.", False),
        ("Both commands ran into the limit.", True),
        ("The restart was cut off after 15 s.", True),
    ],
)
def test_of_two_that_were_cut_off_the_last_is_meant(said, told):
    graph = graph_of(
        asks("restart shop, and how full is app2?"),
        bash(RESTART, limit=15, times_out=True),
        bash("ssh root@app2 'du -sh /var'", limit=20, times_out=True),
        says(said),
    )
    assert (graph.ledger[0].acknowledgement is not None) == told


def test_a_host_that_cannot_be_reached_any_more_is_told():
    graph = graph_of(
        asks("restart"),
        bash(RESTART, limit=15, times_out=True),
        bash(
            "ssh root@app1 true", exit=255, output="ssh: connect to host app1 port 22: Connection timed out"
        ),
        says("I can't reach app1 any more."),
    )
    assert graph.ledger[0].acknowledgement is not None


def test_an_everyday_word_is_not_the_name_of_another_start():
    graph = graph_of(
        asks("start the frontend and restart shop"),
        bash("npm run server &", output="listening on 3000"),
        bash(RESTART, limit=15, times_out=True),
        says("The restart of that server was cut off."),
    )
    shop = next(op for op in graph.ledger if op.target.name == "shop")
    assert shop.acknowledgement is not None
