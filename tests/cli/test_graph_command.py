"""``sessionlens graph``: one file in each form."""

import json
from pathlib import Path
from xml.etree import ElementTree

import networkx
import pytest

LOG = """<conversation_data><msg id="1" role="user"><text>restart it</text></msg>
<msg id="2" role="assistant"><tool name="bash" call="c1" timed_out="true" limit_ms="9000">
<input>{"command": "ssh web1 systemctl restart nginx"}</input><output>password=hunter2SuperSecret99</output></tool></msg>
<msg id="3" role="assistant"></msg></conversation_data>
"""


@pytest.fixture
def graph(run):
    Path("log.xml").write_text(LOG, "utf-8")
    return lambda *args: run("graph", "log.xml", *args)


def test_every_form(graph):
    for suffix in ("graphml", "json", "dot", "svg"):
        done = graph("-o", f"g.{suffix}")
        assert (done.code, done.out, done.err) == (0, "", f"wrote g.{suffix}\n")
        assert graph("--format", suffix, "-o", "-").raw == Path(f"g.{suffix}").read_bytes()
        assert "hunter2SuperSecret99" not in Path(f"g.{suffix}").read_text("utf-8")
    fromxml = networkx.read_graphml("g.graphml", force_multigraph=True)
    fromjson = networkx.node_link_graph(json.loads(Path("g.json").read_text("utf-8")), edges="edges")
    assert set(fromxml.nodes) == set(fromjson.nodes)
    assert fromxml.number_of_edges() == fromjson.number_of_edges() > 0
    assert ElementTree.parse("g.svg").getroot().tag.endswith("svg")
    assert Path("g.dot").read_text("utf-8").startswith("digraph")


def test_wrong_usage_and_unreadable_sources(graph, run):
    assert "no form has this suffix; known are .graphml" in graph("-o", "g.png").err
    assert graph("-o", "g.png").code == 2
    assert graph().code == 2
    assert graph("-o", "nowhere/g.svg").code == 2
    assert run("graph", "nowhere.xml", "-o", "g.svg").code == 3
    assert not Path("g.svg").exists()


def test_a_source_with_several_sessions_needs_a_choice(run):
    Path("two.xml").write_text(
        LOG.replace("<conversation_data>", '<conversation_data session="ses_a">')
        + LOG.replace("<conversation_data>", '<conversation_data session="ses_b">'),
        "utf-8",
    )
    done = run("graph", "two.xml", "-o", "g.json")
    assert done.code == 2
    assert "two.xml holds 2 sessions; choose one with --session: ses_a, ses_b" in done.err
    assert run("graph", "two.xml", "-o", "g.json", "--session", "ses_b").code == 0
