"""The graph as a file: what outside tools read back, and a picture that stays readable."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
from typing import Any
from xml.etree import ElementTree

import networkx
import pytest

from sessionlens.examples import Example, asks, bash, nothing, says
from sessionlens.findings import Because, Finding, Place
from sessionlens.graph import export
from sessionlens.graph.session_graph import SessionGraph
from sessionlens.model import Call, Message, Session, Text, TextPart

RESTART = "ssh root@app1 'systemctl restart shop'"
SVG = "{http://www.w3.org/2000/svg}"


def graph_of(*steps: Any) -> SessionGraph:
    session, _ = Example("export", *steps).build()
    return SessionGraph(session)


def short() -> SessionGraph:
    return graph_of(
        asks("restart shop"),
        bash(RESTART, limit=15, times_out=True),
        nothing(),
        asks("and?"),
        bash("ssh root@app1 'systemctl is-active shop'", output="active"),
        says("It is active."),
    )


def long(turns: int) -> SessionGraph:
    steps: list[Any] = []
    for number in range(turns):
        steps += [
            asks(f"look at {number}"),
            bash(f"cat /srv/data/{number}.txt", output="x"),
            says(f"Read {number}."),
        ]
    return graph_of(*steps)


def written(graph: SessionGraph, form: str, findings: tuple[Finding, ...] = ()) -> str:
    stream = io.StringIO()
    export.write(graph, form, stream, findings=findings)
    return stream.getvalue()


def finding(graph: SessionGraph, index: int, *because: int) -> Finding:
    def place(number: int) -> Any:
        return {"session": graph.session.id, "message_id": None, "message_index": number}

    return Finding(
        rule="some-rule",
        kind="fault",
        severity="high",
        confidence="high",
        title="nobody looked",
        at=Place(**place(index)),
        because=tuple(Because(**place(number)) for number in because),
    )


@pytest.mark.parametrize("form", export.FORMS)
def test_same_graph_same_bytes(form: str) -> None:
    assert written(short(), form) == written(short(), form)


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown form 'gif'; known are graphml"):
        written(short(), "gif")


def test_graphml_reads_back_as_the_same_graph() -> None:
    graph = short()
    back = networkx.parse_graphml(written(graph, "graphml"))
    assert list(back.nodes) == list(graph.nx.nodes)
    assert sorted((a, b, d["kind"]) for a, b, d in back.edges(data=True)) == sorted(
        (a, b, d["kind"]) for a, b, d in graph.nx.edges(data=True)
    )
    for node, facts in graph.nx.nodes(data=True):
        assert back.nodes[node] == facts, "numbers stay numbers, truth values stay truth values"


def test_node_link_json_reads_back_as_the_same_graph() -> None:
    graph = short()
    back = networkx.node_link_graph(json.loads(written(graph, "json")), edges="edges")
    assert networkx.utils.graphs_equal(back, graph.nx)


def test_dot_holds_every_node_and_edge() -> None:
    graph = short()
    lines = written(graph, "dot").splitlines()
    assert sum(" -> " in line for line in lines) == graph.nx.number_of_edges()
    assert sum(", shape=" in line for line in lines) == len(graph.nx)


@pytest.mark.skipif(shutil.which("dot") is None, reason="graphviz is not installed")
def test_graphviz_accepts_the_dot() -> None:
    done = subprocess.run(
        ["dot", "-Tplain"], input=written(hostile(), "dot"), text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


NASTY = 'a"b\\ </text><script>alert(1)</script> & ]]> \x00\x1b[31m \ud800 \u202e é 文 -> } ; "'


def hostile() -> SessionGraph:
    command = json.dumps({"command": f"cat '/srv/{NASTY}'"})
    return SessionGraph(
        Session(
            id='ses "<&\x01',
            source_format="test",
            title=NASTY,
            messages=(
                Message(index=0, role="user", parts=(TextPart(text=Text(NASTY)),)),
                Message(
                    index=1,
                    role="assistant",
                    parts=(
                        TextPart(text=Text(NASTY)),
                        Call(id=NASTY, name="bash", input=Text(command), output=Text(NASTY)),
                        Call(id="2", name=NASTY, input=Text("{}"), status="running"),
                    ),
                ),
            ),
        )
    )


@pytest.mark.parametrize("form", ["graphml", "svg"])
def test_hostile_text_is_text_in_xml(form: str) -> None:
    result = written(hostile(), form)
    result.encode("utf-8")
    root = ElementTree.fromstring(result)
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert "script" not in tags
    assert "alert(1)" in "".join(root.itertext())
    assert "\u202e" not in result


def test_hostile_text_is_text_in_json_and_dot() -> None:
    loaded = json.loads(written(hostile(), "json"))
    assert any("</script>" in node.get("label", "") for node in loaded["nodes"])
    dot = written(hostile(), "dot")
    dot.encode("utf-8")
    for line in dot.splitlines()[4:-1]:
        bare = re.sub(r'"(?:[^"\\]|\\.)*"', "Q", line)
        assert re.fullmatch(r"  Q(?: -> Q)? \[label=Q(?:, shape=\w+)?\];", bare), line


def boxes(svg: str) -> list[tuple[str, float, float, str, str]]:
    """Class, x, y, text and hover of each box."""
    root = ElementTree.fromstring(svg)
    found = []
    for group in root.iter(f"{SVG}g"):
        rect, text, title = (group.find(f"{SVG}{name}") for name in ("rect", "text", "title"))
        assert rect is not None
        assert text is not None
        assert title is not None
        found.append(
            (
                rect.get("class", ""),
                float(rect.get("x", 0)),
                float(rect.get("y", 0)),
                text.text or "",
                title.text or "",
            )
        )
    return found


def test_the_picture_has_lanes_and_tells_results_at_the_call() -> None:
    graph = short()
    svg = written(graph, "svg", (finding(graph, 2, 1),))
    shown = boxes(svg)
    lanes = sorted({x for _, x, _, _, _ in shown})
    headings = [t.text for t in ElementTree.fromstring(svg).iter(f"{SVG}text") if t.get("class") == "head"]
    assert headings[1:] == ["person", "assistant", "tools", "targets"]
    person = [text for css, x, _, text, _ in shown if x == lanes[0]]
    assert person == ["#0 restart shop", "#3 and?"]
    cut = [(text, css) for css, _, _, text, _ in shown if "cut" in css.split()]
    assert len(cut) == 1
    assert cut[0][0].endswith("✂ 15 s")
    marked = [(text, hover) for css, _, _, text, hover in shown if "found" in css.split()]
    assert [text for text, _ in marked] == ["#2 (empty)"]
    assert "high: nobody looked" in marked[0][1]
    assert any("operation" in css and text == "open: shop" for css, _, _, text, _ in shown)


def test_time_runs_downwards_and_boxes_never_overlap() -> None:
    shown = boxes(written(long(40), "svg"))
    messages = [(int(m[1]), y) for _, _, y, text, _ in shown if (m := re.match(r"#(\d+) ", text))]
    assert [y for _, y in sorted(messages)] == sorted(y for _, y in messages)
    places = [(x, y) for _, x, y, _, _ in shown]
    assert len(places) == len(set(places))
    assert all(len(text) <= 40 for _, _, _, text, _ in shown)


def test_two_hundred_nodes_are_shown_whole() -> None:
    graph = long(33)
    every = [n for n, d in graph.nx.nodes(data=True) if d.get("kind") not in ("result", "cut_off")]
    assert 150 < len(every) <= export.MOST
    svg = written(graph, "svg")
    assert "left out" not in svg
    assert f"{len(every)} nodes," in svg


def test_a_long_session_is_cut_around_its_findings() -> None:
    graph = long(300)
    last = len(graph.session.messages) - 1
    far = (finding(graph, 300, 297), finding(graph, last))
    svg = written(graph, "svg", far)
    shown = boxes(svg)
    indexes = {int(m[1]) for _, _, _, text, _ in shown if (m := re.match(r"#(\d+) ", text))}
    assert {297, 300, last} <= indexes
    assert 0 not in indexes
    assert len({hover for *_, hover in shown}) <= export.MOST
    assert len(shown) >= export.MOST * 0.9
    assert all(abs(i - 300) < 80 or abs(i - last) < 80 for i in indexes)
    left = [int(n) for n in re.findall(r"… (\d+) left out …", svg)]
    assert len(left) == 2
    assert "Cut around the findings" in svg


def test_without_findings_a_long_session_is_cut_around_what_stayed_open() -> None:
    steps: list[Any] = [
        s for n in range(150) for s in (asks(f"see {n}"), bash(f"cat /srv/{n}", output="x"), says("ok"))
    ]
    steps[225:225] = [asks("restart"), bash(RESTART, limit=15, times_out=True), nothing()]
    svg = written(graph_of(*steps), "svg")
    assert any(text == "open: shop" for *_, text, _ in boxes(svg))
    assert "farther from operations left open" in svg


def test_with_nothing_found_or_open_a_long_session_is_cut_around_its_end() -> None:
    steps: list[Any] = [
        s for n in range(150) for s in (asks(f"see {n}"), bash(f"cat /srv/{n}", output="x"), says("ok"))
    ]
    graph = graph_of(*steps)
    svg = written(graph, "svg")
    assert "farther from the end is left out" in svg
    assert "operations left open" not in svg
    assert any(text.startswith(f"#{len(graph.session.messages) - 1} ") for *_, text, _ in boxes(svg))


def test_a_target_is_shown_again_far_from_its_first_place() -> None:
    steps: list[Any] = []
    for number in range(20):
        steps += [asks(f"again {number}"), bash("cat /srv/config.toml", output="x")]
    shown = [
        y
        for css, _, y, text, _ in boxes(written(graph_of(*steps), "svg"))
        if "target" in css and text == "/srv/config.toml"
    ]
    assert 1 < len(shown) < 20


def test_nothing_is_fetched_and_nothing_runs() -> None:
    svg = written(hostile(), "svg")
    assert not re.search(r"href|url\(|<script|\bon\w+=|@import|<image|<foreignObject", svg)
