"""The line of events, turns, roles that the log does not name, children."""

from msgspec.structs import replace

from sessionlens.examples import Example, asks, bash, child, edit, group, nothing, read, says, write
from sessionlens.graph.events import Called, Ran, Said
from sessionlens.graph.session_graph import SessionGraph


def build(*steps):
    return Example("build", *steps).build()[0]


def test_a_child_stands_right_after_the_call_that_started_it():
    session = build(asks("go"), child(bash("ls", output="x"), says("seen"), prompt="look"), says("done"))
    graph = SessionGraph(session)
    inside = [event.seq for event in graph.events if event.at.session != session.id]
    task = next(e for e in graph.events if isinstance(e, Called) and e.call.child is not None)
    last = graph.events[-1]
    assert inside
    assert min(inside) > task.seq
    assert max(inside) < last.seq
    assert all(event.depth == 1 for event in graph.events if event.at.session != session.id)


def test_a_child_that_no_call_names_stands_at_the_end():
    session = build(asks("go"), child(says("seen"), prompt="look"), says("done"))
    call = session.messages[1].calls[0]
    orphaned = replace(session.messages[1], parts=(replace(call, child=None),))
    graph = SessionGraph(replace(session, messages=(session.messages[0], orphaned, session.messages[2])))
    assert graph.events[-1].at.session == session.children[0].id


def test_prose_after_a_call_is_an_event_of_its_own():
    graph = SessionGraph(build(asks("go"), group(says("first"), bash("ls", output="x"), says("second"))))
    said = [event for event in graph.events if isinstance(event, Said) and event.role == "assistant"]
    assert [(event.opening, graph.prose(event)) for event in said] == [(True, "first"), (False, "second")]


def test_turns_end_at_human_messages():
    graph = SessionGraph(build(asks("one"), says("a"), bash("ls", output="x"), asks("two"), says("b")))
    assert [(turn.number, len(turn.messages)) for turn in graph.turns] == [(1, 3), (2, 2)]
    assert graph.turns[0].next_human.at.message_index == 3
    assert graph.turns[1].next_human is None


def test_a_missing_role_follows_from_the_protocol_and_is_marked():
    session = build(
        asks("restart"), bash("./restart.sh", output="x"), nothing(), asks("ratio 4?"), says("ok")
    )
    unknown = tuple(replace(message, role="unknown") for message in session.messages)
    graph = SessionGraph(replace(session, messages=unknown))
    said = [event for event in graph.events if isinstance(event, Said)]
    assert [event.role for event in said] == ["user", "assistant", "assistant", "user", "assistant"]
    assert not any(event.role_known for event in said)
    assert [event.human for event in said] == [True, False, False, True, False]


def test_deep_children_need_no_recursion():
    session = build(asks("go"), says("done"))
    for number in range(3000):
        session = replace(session, id=f"ses_{number}", children=(session,))
    assert len(SessionGraph(session).events) == 2 * 3001


def test_commands_of_a_call_stand_after_it_in_order():
    graph = SessionGraph(build(asks("go"), bash("cd /srv && make build && ./deploy.sh", output="x")))
    ran = [event for event in graph.events if isinstance(event, Ran)]
    assert [event.position for event in ran] == list(range(len(ran)))
    assert {event.call.seq for event in ran} == {graph.events[1 + 1].seq} or len(ran) >= 2


def test_a_command_that_names_several_things_acts_on_each():
    graph = SessionGraph(build(asks("go"), bash("ssh root@m1 systemctl restart loki tempo", output="")))
    assert [ran.command.target.name for ran in graph.events if isinstance(ran, Ran)] == ["loki", "tempo"]
    assert [edge for edge in graph.nx.nodes if edge.startswith("d:")] == [
        "d:ses_example:1:0:0",
        "d:ses_example:1:0:1",
    ]


def test_of_several_units_each_has_its_own_line() -> None:
    line = "ssh root@m1 'systemctl is-active loki tempo; curl -s localhost:3100/ready'"
    graph = SessionGraph(build(asks("go"), bash(line, output="active\ninactive\nready", exit=0)))
    looks = [ran for ran in graph.events if isinstance(ran, Ran) and "is-active" in ran.command.words]
    assert [(ran.command.target.name, ran.outcome.state) for ran in looks] == [
        ("loki", "good"),
        ("tempo", "bad"),
    ]
    graph = SessionGraph(build(asks("go"), bash(line, output="inactive", exit=3)))
    looks = [ran for ran in graph.events if isinstance(ran, Ran) and "is-active" in ran.command.words]
    assert {ran.outcome.state for ran in looks} == {"bad"}


RESTART = "while read h; do ssh -n $h systemctl restart app; done < hosts.txt"


def hosts_of(*steps):
    graph = SessionGraph(build(asks("go"), *steps, bash(RESTART)))
    return [
        e.command.target.host for e in graph.events if isinstance(e, Ran) and e.command.effect == "restart"
    ]


def test_a_loop_goes_through_the_file_that_the_session_shows():
    assert hosts_of(bash("cat hosts.txt", output="web1\nweb2")) == ["web1", "web2"]
    assert hosts_of(write("hosts.txt", "web1\nweb2\n")) == ["web1", "web2"]
    assert hosts_of(read("hosts.txt", "web1\nweb2")) == ["web1", "web2"]
    assert hosts_of(bash("cat > hosts.txt <<E\nweb1\nweb2\nE")) == ["web1", "web2"]


def test_a_file_that_may_hold_something_else_by_now_is_not_known():
    assert hosts_of() == ["$h"]
    assert hosts_of(bash("cat hosts.txt | head -2", output="web1\nweb2")) == ["$h"]
    assert hosts_of(bash("cat hosts.txt", output="cat: hosts.txt: No such file or directory", exit=1)) == [
        "$h"
    ]
    assert hosts_of(bash("cat hosts.txt", output="web1"), edit("hosts.txt")) == ["$h"]
    assert hosts_of(bash("cat hosts.txt", output="web1"), bash("echo web3 >> hosts.txt")) == ["$h"]
    assert hosts_of(bash("ssh web9 cat hosts.txt", output="web1")) == ["$h"]


def restarted(line, output, **ended):
    graph = SessionGraph(build(asks("go"), bash(line, output=output, **ended)))
    return [
        (e.command.target.host, e.outcome.failed)
        for e in graph.events
        if isinstance(e, Ran) and e.command.effect == "restart"
    ]


BAD = "Job for app.service failed because the control process exited with error code."


def test_a_loop_that_prints_each_name_tells_what_it_goes_through():
    each = [("web1", False), ("web2", True)]
    for line in (
        'for h in $(cat hosts); do echo "== $h"; ssh $h systemctl restart app; done',
        'while read h; do echo "== $h"; ssh -n $h systemctl restart app; done < hosts',
        "cat hosts | xargs -I{} sh -c 'echo \"== {}\"; ssh {} systemctl restart app'",
    ):
        assert restarted(line, f"== web1\n== web2\n{BAD}", exit=1) == each, line


def test_what_a_loop_prints_of_some_names_is_not_its_list():
    line = 'for h in $(cat hosts); do ssh $h systemctl restart app || echo "bad: $h"; done'
    assert [host for host, _ in restarted(line, "bad: web1\nbad: web2")] == ["$h"]
    line = 'for h in $(cat hosts); do echo "== $h"; ssh $h systemctl restart app; done'
    assert [host for host, _ in restarted(line, "== web1\n== web2", limit=10, times_out=True)] == ["$h"]


def test_outcomes_that_are_alike_are_kept_once():
    graph = SessionGraph(build(asks("look"), bash("ls a", output="x"), bash("ls b", output="x"), says("ok")))
    first, second = [event for event in graph.events if isinstance(event, Ran)]
    assert first.command is not second.command
    assert first.outcome is second.outcome
