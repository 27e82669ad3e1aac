"""The questions rules ask: predicates that combine, windows, counts, times, and what a question costs."""

import pytest

from sessionlens.examples import Example, asks, bash, child, edit, nothing, read, says, tool, waits
from sessionlens.graph import queries as q
from sessionlens.graph import session_graph
from sessionlens.graph.events import Called, Ran, Said
from sessionlens.graph.matching import PatternError, searching
from sessionlens.graph.session_graph import SessionGraph
from sessionlens.graph.trace import Trace

RESTART = "ssh root@web1 'systemctl restart billing'"
STATUS = "ssh root@web1 'systemctl is-active billing'"


def graph_of(*steps) -> SessionGraph:
    return SessionGraph(Example("t", *steps).build()[0])


def commands(graph: SessionGraph) -> list[Ran]:
    return [event for event in graph.events if isinstance(event, Ran)]


def places(events) -> list[int]:
    return [event.at.message_index for event in events]


@pytest.fixture
def graph() -> SessionGraph:
    return graph_of(
        asks("restart billing"),
        bash(RESTART),
        bash("ls", output="a"),
        bash(STATUS, output="active"),
        says("billing is up."),
        asks("and now nginx"),
        bash("ssh root@web1 'systemctl restart nginx'"),
        bash(STATUS, output="active"),
    )


def test_predicates_combine(graph):
    restart = commands(graph)[0]
    target = restart.command.target
    window = graph.after(restart)
    assert window.until(q.human | q.change(target) | q.end).any(q.check(target))
    assert places(window.all(q.checks & ~q.check(target))) == []
    assert places(graph.span().all(q.changes | q.checks)) == [1, 3, 6, 7]
    assert places(graph.span().all(q.starts & q.acts_on(name="ngin*"))) == [6]
    assert places(graph.span().all(q.any_command & ~(q.changes | q.checks))) == [2]
    assert (q.human | q.change(target)).name == "human | change(billing)"
    assert (~(q.human | q.end)).name == "~(human | end)"


def test_a_combination_holds_only_for_what_its_parts_speak_of(graph):
    # ``human`` asks nothing of an event but that it is in the index of human messages.
    assert places(graph.span().all(q.human & q.mentions("nginx"))) == [5]
    assert places(graph.span().all(~q.human & q.mentions("billing"))) == [4]
    assert not graph.span().any(q.end)
    assert graph.span().count(~q.end) == len(graph.events)


def test_or_and_not_of_python_are_refused():
    with pytest.raises(TypeError, match=r"combine predicates with \| & ~"):
        bool(q.human or q.end)
    with pytest.raises(TypeError, match="human"):
        assert not q.human


def test_windows(graph):
    restart, _, status, _, _ = commands(graph)
    second = graph.events[graph.index("human")[1]]
    assert places(graph.between(restart, second).all(q.any_command)) == [2, 3]
    assert places(graph.before(second).since(q.starts).all(q.any_command)) == [2, 3]
    assert graph.before(status).last(q.changes) is restart
    assert graph.before(second).first(q.checks) is status
    assert graph.span().until(q.human).count(q.any_call) == 0
    assert graph.after(restart).until(q.human).closing is second
    assert graph.after(restart).until(q.end).closing is None
    assert graph.span().opening is None


def test_until_takes_the_first_of_several(graph):
    restart = commands(graph)[0]
    assert graph.after(restart).until(q.human, q.checks).before == commands(graph)[2].seq
    assert graph.after(restart).until(q.checks, q.human).before == commands(graph)[2].seq


def test_counts_and_sequences(graph):
    whole = graph.span()
    assert whole.count(q.checks) == 2
    assert whole.at_least(2, q.checks)
    assert not whole.at_least(3, q.checks)
    assert whole.at_least(0, q.end)
    assert whole.none(q.failed)
    assert whole.every(q.found_good, of=q.checks)
    assert not whole.every(q.found_bad, of=q.checks)
    assert whole.every(q.found_bad, of=q.end)
    found = whole.sequence(q.starts, q.checks, q.human, q.starts)
    assert found is not None
    assert places(found) == [1, 3, 5, 6]
    assert whole.sequence(q.starts, q.human, q.human) is None


def test_the_same_target_operation_and_call():
    graph = graph_of(
        asks("x"),
        bash(RESTART),
        bash(STATUS, output="active"),
        bash("sudo true"),
        bash(RESTART),
        bash("ssh root@web2 'systemctl restart billing'"),
        edit("/etc/app.conf"),
        read("/etc/app.conf", "a"),
        edit("/etc/app.conf"),
        edit("/etc/app.conf", "other"),
    )
    first = commands(graph)[0]
    assert places(graph.after(first).all(q.same_target(first))) == [2, 4]
    assert places(graph.after(first).all(q.same_operation(first))) == [4]
    assert places(graph.after(first).all(q.same_operation(first.call))) == [4]
    assert places(graph.after(first).all(q.same_target(first.call))) == [2, 4]
    edited = next(event for event in commands(graph) if event.command.effect == "edit")
    assert places(graph.after(edited).all(q.same_target(edited))) == [7, 8, 9]
    assert places(graph.after(edited).all(q.same_call(edited))) == [8]
    said = graph.events[0]
    assert isinstance(said, Said)
    assert graph.span().none(q.same_target(said))
    assert graph.span().none(q.same_call(said))
    assert graph.span().none(q.same_operation(said))


def test_the_same_session_leaves_children_out():
    graph = graph_of(asks("x"), child(bash("make")), bash("make"))
    parent = graph.events[0]
    inside = next(event for event in graph.events if event.depth == 1)
    assert graph.span().count(q.any_call & q.same_session(parent)) == 2
    assert graph.span().count(q.any_call & q.same_session(inside)) == 1


def test_times():
    graph = graph_of(
        asks("x"),
        bash("make", took=90, limit=120),
        waits(30),
        bash("ls", took=1),
        waits(400),
        bash("pwd", took=1),
    )
    make, ls, pwd = (event for event in graph.events if isinstance(event, Called))
    assert graph.took(make) == 90_000
    assert graph.elapsed(make, ls) == 31_000
    assert places(graph.after(make).within(60_000).all(q.any_call)) == [2]
    assert places(graph.after(make).within(600_000).all(q.any_call)) == [2, 3]
    assert places(graph.span().all(q.took(least_s=60))) == [1]
    assert places(graph.span().all(q.took(most_s=60))) == [2, 3]
    assert places(graph.span().all(q.limited(least_s=100, most_s=120))) == [1, 2, 3]
    assert graph.span().within(25_000).count(q.any_call) == 1
    assert pwd.at.message_index == 3


def test_time_in_a_log_out_of_order_and_in_one_without_times():
    import msgspec

    session, _ = Example("t", asks("x"), bash("a"), waits(100), bash("b"), bash("c")).build()
    shifted = [
        msgspec.structs.replace(message, time=(message.time or 0) + (3_600_000 if message.index == 0 else 0))
        for message in session.messages
    ]
    graph = SessionGraph(msgspec.structs.replace(session, messages=tuple(shifted)))
    first = next(event for event in graph.events if isinstance(event, Called))
    # The person's message claims to be an hour later than everything after it.
    assert places(graph.after(first).within(50_000).all(q.any_call)) == []
    assert places(graph.after(first).within(500_000).all(q.any_call)) == [2, 3]
    bare = [
        msgspec.structs.replace(
            message,
            time=None,
            ended=None,
            parts=tuple(
                msgspec.structs.replace(part, start=None, end=None) if hasattr(part, "start") else part
                for part in message.parts
            ),
        )
        for message in session.messages
    ]
    graph = SessionGraph(msgspec.structs.replace(session, messages=tuple(bare)))
    first = next(event for event in graph.events if isinstance(event, Called))
    assert places(graph.after(first).within(1).all(q.any_call)) == [2, 3]
    assert graph.took(first) is None
    assert graph.span().none(q.took(most_s=10))


def test_what_calls_and_commands_are():
    graph = graph_of(
        asks("x"),
        bash("sudo git push origin main", output="ok"),
        bash("make", exit=2, output="boom"),
        bash("sleep 600 &"),
        bash("rm -rf build", interrupted=True),
        tool("webfetch", {"url": "https://example.com"}, output="page"),
        bash("true"),
        nothing(),
        bash("tail -f x", running=True),
    )
    span = graph.span()
    assert places(span.all(q.runs("git", "push"))) == [1]
    assert places(span.all(q.runs("g*", "*", "origin"))) == [1]
    assert places(span.all(q.any_call & q.failed)) == [2]
    assert places(span.all(q.detached)) == [3]
    assert places(span.all(q.interrupted)) == [4]
    assert places(span.all(q.calls("web*"))) == [5]
    assert places(span.all(q.no_output & q.command_line("^true$"))) == [6]
    assert places(span.all(q.silent)) == [7]
    assert places(span.all(q.unfinished)) == [8]
    assert places(span.all(q.shows("BOOM"))) == [2]
    assert places(span.all(q.command_line("example.com"))) == [5]
    assert places(span.all(q.has_effect("delete"))) == [4]
    assert places(span.all(q.in_environment("local") & q.has_effect("delete"))) == [4]


def test_what_is_said():
    graph = graph_of(asks("That is wrong, it is still broken!"), says("The service is up and running."))
    assert places(graph.span().all(q.speaks("claims_success"))) == [1]
    assert places(graph.span().all(q.human & q.speaks("complaint"))) == [0]


def test_patterns_cannot_run_away():
    search = searching("(a+)+$")
    assert not search("a" * 50_000 + "b")
    assert searching("Fehler: .{0,10}ß")("fehler: xß")
    assert searching("x")("\udcff x")
    with pytest.raises(PatternError, match="is no RE2 pattern: invalid perl operator"):
        searching("(?=look)ahead")


def test_a_question_is_kept_where_somebody_asks_for_it(graph):
    restart = commands(graph)[0]
    graph.trace = Trace()
    graph.after(restart).until(q.human).first(q.check(restart.command.target))
    list(graph.span().all(q.human))
    assert graph.span().count(q.human) == 2
    until, first, every, count = graph.trace.questions
    assert (until.how, until.predicates, until.found) == ("until", ("human",), (graph.index("human")[1],))
    assert (first.how, first.found) == ("first", (commands(graph)[2].seq,))
    assert len(every.found) == 2
    assert count.answer == 2


def test_questions_cost_what_their_window_holds():
    """Twice the events, twice the looks: every start asks, and the next one of its target ends its window."""
    looks = {}
    for size in (200, 400):
        steps = [step for _ in range(size) for step in (bash(RESTART), bash("ls", output="a"))]
        graph = graph_of(asks("go"), *steps)
        seen = [0]

        def holds(_graph, _event, seen=seen):
            seen[0] += 1
            return True

        counted = q.Predicate(name="counted", among="ran", holds=holds)
        for start in graph.span().all(q.starts):
            assert isinstance(start, Ran)
            window = graph.after(start).until(q.human | q.change(start.command.target) | q.end)
            assert window.none(q.check(start.command.target))
            assert window.count(counted) in (1, 0)
        looks[size] = seen[0]
    assert looks[400] == 2 * looks[200]


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: q.has_effect("restrat"), "did you mean restart"),
        (q.has_effect, "at least one word"),
        (lambda: q.speaks("complaints"), "did you mean complaint"),
        (lambda: q.in_environment("prod"), "did you mean production"),
        (lambda: q.acts_on(kind="fiel"), "did you mean file"),
        (q.runs, "at least one word"),
        (lambda: q.runs("git push"), "each word by itself"),
        (q.calls, "at least one word"),
    ],
)
def test_a_word_that_can_fit_nothing_is_refused(ask, words):
    with pytest.raises(ValueError, match=words):
        ask()


def test_what_no_event_can_be_both_is_refused_with_what_to_write():
    graph = graph_of(bash("make", limit=10, times_out=True), bash("make"))
    with pytest.raises(
        ValueError, match=r"command of a call .* a call .* write runs\(make\) & of_call\(cut_off\)"
    ):
        q.runs("make") & q.cut_off
    with pytest.raises(ValueError, match=r"write runs\(make\) & ~of_call\(cut_off\)"):
        q.runs("make") & ~q.cut_off
    with pytest.raises(ValueError, match="a message or prose"):
        graph.span().every(q.failed, of=q.human)
    with pytest.raises(ValueError, match="no predicate of calls"):
        q.of_call(q.starts)
    both = list(graph.span().all(q.runs("make")))
    assert list(graph.span().all(q.runs("make") & q.of_call(q.cut_off))) == both[:1]
    assert list(graph.span().all(q.runs("make") & ~q.of_call(q.cut_off))) == both[1:]
    assert graph.span().none(q.human & q.end)


def test_readings_of_a_large_session_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [
        step for n in range(6) for step in (bash(RESTART), says(f"Restarted. Round {n}: billing is up."))
    ]
    plain = graph_of(asks("restart billing"), *steps)
    monkeypatch.setattr(session_graph, "_MANY", 1)
    monkeypatch.setattr(session_graph, "_AT_HAND", 2)
    large = graph_of(asks("restart billing"), *steps)
    said = [
        (one, other) for one, other in zip(plain.events, large.events, strict=True) if isinstance(one, Said)
    ]
    for _ in range(2):
        assert all(plain.reading(one) == large.reading(other) for one, other in said)
    assert any(plain.reading(one).acts() for one, _ in said)
    assert len(large._readings) == 2


def test_a_match_is_found_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graph_of(
        *(step for _ in range(200) for step in (bash(RESTART), bash("ls"), bash(STATUS, output="active")))
    )
    ran, target = commands(graph), commands(graph)[0].command.target
    first = [graph.match(one, target) for one in ran]
    asked = []
    monkeypatch.setattr(graph.neighbourhoods, "match", lambda *_: asked.append(1))
    assert [graph.match(one, target) for one in ran] == first
    assert not asked
    assert None in first
    assert any(first)
