"""The graph of a session as a file: GraphML, node-link JSON, DOT, or a picture in SVG.

Same graph, same bytes. Whatever a log held is text in the result: characters that a form does not allow become
U+FFFD, never markup.

The picture has a lane for the person, the assistant, the tools and the targets, time running downwards; results
and cut-offs are told at their call. It is drawn here, without an outside layout program, and shows at most
:data:`MOST` nodes: of a longer session what stands nearest to the findings, with the number of what is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, NamedTuple
from xml.sax.saxutils import escape

from sessionlens.cache import lazy
from sessionlens.findings import SEVERITIES, Because, Finding, Place
from sessionlens.graph.events import Called

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

FORMS = ("graphml", "json", "dot", "svg")
"""What :func:`write` can write."""
MOST = 200
"""Nodes of a picture at most."""


def write(graph: SessionGraph, form: str, stream: IO[str], *, findings: Sequence[Finding] = ()) -> None:
    """Write the graph to a text stream. ``findings`` mark nodes in the picture and say where to cut a long one.

    Raises ``ValueError`` for a form that is not one of :data:`FORMS`.
    """
    writers: dict[str, Callable[[SessionGraph, Sequence[Finding]], Iterator[str]]] = {
        "graphml": _graphml,
        "json": _node_link,
        "dot": _dot,
        "svg": _svg,
    }
    if form not in writers:
        raise ValueError(f"unknown form {form!r}; known are {', '.join(FORMS)}")
    for piece in writers[form](graph, findings):
        stream.write(piece)


_UNWRITABLE = lazy(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufffe\uffff]"
)
"""What XML forbids, what no encoding takes, and marks that turn the direction of the text around them."""


def _text(value: object) -> str:
    return _UNWRITABLE.sub("\ufffd", str(value))


def _attribute(value: object) -> str:
    """A value as an attribute of XML, quotation marks included."""
    return '"' + escape(_text(value), {'"': "&quot;", "\n": "&#10;", "\t": "&#9;", "\r": "&#13;"}) + '"'


# ------------------------------------------------------------------------------------------------------- GraphML

_TYPES = {bool: "boolean", int: "long", float: "double"}


def _graphml(graph: SessionGraph, findings: Sequence[Finding]) -> Iterator[str]:
    nx = graph.nx
    nodes = [facts for _, facts in nx.nodes(data=True)]
    edges = [facts for _, _, facts in nx.edges(data=True)]
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    keys: dict[tuple[str, str], str] = {}
    for sort, every in (("graph", [nx.graph]), ("node", nodes), ("edge", edges)):
        for name in sorted({name for facts in every for name in facts}):
            keys[sort, name] = key = f"{sort[0]}_{name}"
            held = {type(facts[name]) for facts in every if name in facts}
            kind = _TYPES.get(held.pop(), "string") if len(held) == 1 else "string"
            yield f'  <key id="{key}" for="{sort}" attr.name="{name}" attr.type="{kind}"/>\n'
    yield f'  <graph id="session" edgedefault="directed">\n{_data(keys, "graph", nx.graph, "    ")}'
    for node, facts in nx.nodes(data=True):
        yield f"    <node id={_attribute(node)}>\n{_data(keys, 'node', facts)}    </node>\n"
    for number, (source, target, facts) in enumerate(nx.edges(data=True)):
        ends = f"source={_attribute(source)} target={_attribute(target)}"
        yield f'    <edge id="e{number}" {ends}>\n{_data(keys, "edge", facts)}    </edge>\n'
    yield "  </graph>\n</graphml>\n"


def _data(keys: dict[tuple[str, str], str], sort: str, facts: dict[str, Any], indent: str = "      ") -> str:
    return "".join(
        f'{indent}<data key="{keys[sort, name]}">{escape(_text(_plain(value)))}</data>\n'
        for name, value in facts.items()
    )


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


# ------------------------------------------------------------------------------------------------ node-link JSON


def _node_link(graph: SessionGraph, findings: Sequence[Finding]) -> Iterator[str]:
    """The form that ``networkx.node_link_graph`` reads, a node or edge a line."""
    nx = graph.nx
    head = {"directed": True, "multigraph": True, "graph": dict(nx.graph)}
    yield "{" + json.dumps(_clean(head), ensure_ascii=False)[1:-1] + ',\n"nodes": [\n'
    yield from _joined({"id": node, **facts} for node, facts in nx.nodes(data=True))
    yield '\n],\n"edges": [\n'
    yield from _joined(
        {"source": source, "target": target, "key": key, **facts}
        for source, target, key, facts in nx.edges(keys=True, data=True)
    )
    yield "\n]}\n"


def _joined(values: Iterable[dict[str, Any]]) -> Iterator[str]:
    for number, value in enumerate(values):
        yield (",\n" if number else "") + json.dumps(_clean(value), ensure_ascii=False)


def _clean(value: dict[str, Any]) -> dict[str, Any]:
    return {
        name: _text(item) if isinstance(item, str) else _clean(item) if isinstance(item, dict) else item
        for name, item in value.items()
    }


# ----------------------------------------------------------------------------------------------------------- DOT

_SHAPES = {
    "message": "box", "call": "component", "result": "note", "cut_off": "octagon", "command": "plaintext", "change": "box3d",
    "check": "diamond", "target": "cylinder", "operation": "doubleoctagon", "acknowledgement": "cds", "claim": "cds",
}  # fmt: skip


def _quoted(value: object) -> str:
    text = _text(value).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + " ".join(text.split()) + '"'


def _dot(graph: SessionGraph, findings: Sequence[Finding]) -> Iterator[str]:
    nx = graph.nx
    yield f"digraph {_quoted(nx.graph.get('session', 'session'))} {{\n  rankdir=TB;\n"
    yield '  node [fontname="sans-serif", fontsize=10];\n  edge [fontname="sans-serif", fontsize=8];\n'
    for node, facts in nx.nodes(data=True):
        kind = facts.get("kind", "message")
        label = f"{_said(facts)} {facts.get('label', '')}".strip()
        yield f"  {_quoted(node)} [label={_quoted(label)}, shape={_SHAPES.get(kind, 'box')}];\n"
    for source, target, facts in nx.edges(data=True):
        yield f"  {_quoted(source)} -> {_quoted(target)} [label={_quoted(facts['kind'].replace('_', ' '))}];\n"
    yield "}\n"


def _said(facts: dict[str, Any]) -> str:
    """What a node is, in a word before its label."""
    kind = facts.get("kind", "message")
    if kind == "message":
        return f"{'person' if facts.get('human') else facts.get('role', 'assistant')}:"
    if kind in ("change", "check", "command"):
        return f"[{facts.get('effect', kind)}]"
    return f"{kind.replace('_', ' ')}:"


# ----------------------------------------------------------------------------------------------------------- SVG

LANES = ("person", "assistant", "tools", "targets")
"""Lanes of the picture, from left to right."""
_WIDTH, _GAP, _ROW, _TOP, _MARGIN = 270, 34, 30, 96, 16
_BOX = 24
_SIGNS = 37
"""Signs that fit into a box."""
_NEAR = 12
"""Rows after which a target that is touched again is shown again, so that lines stay short."""
_FOLDED = ("result", "cut_off")
_DRAWN = {
    "calls": "flow", "runs": "flow", "touches": "touch", "verifies": "good", "acknowledges": "good", "supports": "good",
    "closes": "good", "supersedes": "again", "retries": "again", "polls": "again", "delegates": "flow", "opens": "bad",
    "contradicts": "bad", "claims": "flow", "about": "touch", "leaves_open": "again",
}  # fmt: skip
"""Edges of the picture with their look. Order in time shows what follows what; a call tells its result itself."""

_STYLE = """
svg{font:12px system-ui,sans-serif;background:#fff;color:#1d1d1f}
text{fill:#1d1d1f}.dim{fill:#5c5c63}.head{font-weight:600;font-size:13px}
rect.box{fill:#f5f5f7;stroke:#9a9aa2}rect.change{fill:#fdf1de;stroke:#a86400}rect.check{fill:#e6f4ea;stroke:#2b7a3f}
rect.target{fill:#e8effb;stroke:#3b6bb5}rect.operation{fill:#fbe9e7;stroke:#b3261e;stroke-dasharray:4 2}
rect.human{fill:#eee9fb;stroke:#6b4fb3}rect.empty{stroke-dasharray:3 3}rect.cut{stroke:#b3261e;stroke-width:2}
rect.found{stroke:#b3261e;stroke-width:3}path{fill:none;stroke:#9a9aa2}path.touch{stroke:#3b6bb5;stroke-opacity:.55}
path.good{stroke:#2b7a3f}path.bad{stroke:#b3261e}path.again{stroke:#6b6b73;stroke-dasharray:4 3}
line.lane{stroke:#e3e3e8}
@media(prefers-color-scheme:dark){svg{background:#1c1c1e}text{fill:#f2f2f4}.dim{fill:#a7a7ae}
rect.box{fill:#2c2c2e;stroke:#7b7b83}rect.change{fill:#3d2f17;stroke:#e0a040}rect.check{fill:#1b3323;stroke:#62b97a}
rect.target{fill:#1d2b44;stroke:#7fa8ea}rect.operation{fill:#401f1c;stroke:#ff8a80}rect.human{fill:#2d2545;stroke:#b39ddb}
rect.cut,rect.found{stroke:#ff8a80}line.lane{stroke:#3a3a3d}path.bad{stroke:#ff8a80}path.good{stroke:#62b97a}path.touch{stroke:#7fa8ea}}
"""


class _Box(NamedTuple):
    node: str
    lane: int
    row: int
    facts: dict[str, Any]


def _lane(facts: dict[str, Any]) -> int:
    kind = facts.get("kind", "message")
    if kind == "target":
        return 3
    if kind in ("message", "acknowledgement", "claim"):
        return 0 if facts.get("human") or facts.get("role") in ("user", "system") else 1
    return 2


def _svg(graph: SessionGraph, findings: Sequence[Finding]) -> Iterator[str]:
    nx = graph.nx
    marked = _marked(graph, findings)
    every = [node for node, facts in nx.nodes(data=True) if facts.get("kind") not in _FOLDED]
    shown = _chosen(graph, every, marked)
    layout = _placed(graph, every, shown)
    width = 2 * _MARGIN + 4 * _WIDTH + 3 * _GAP
    height = _TOP + layout.rows * _ROW + 2 * _MARGIN
    told = f"{len(shown)} of {len(every)} nodes" if len(shown) < len(every) else f"{len(every)} nodes"
    name = graph.session.title or graph.session.id
    title = f"Session {name}"
    about = f"{told}, time running downwards. " + (
        f"{len(marked)} marked by findings. " if marked else "No findings. "
    )
    if len(shown) < len(every):
        about += f"{_hearts(nx, every, marked)[1]} is left out."
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-labelledby="name about">\n<title id="name">{escape(_text(title))}</title>\n'
        f'<desc id="about">{escape(_text(about))}</desc>\n<style>{_STYLE}</style>\n'
    )
    yield f'<text class="head" x="{_MARGIN}" y="26">{escape(_cut(_text(title), 110))}</text>\n'
    yield f'<text class="dim" x="{_MARGIN}" y="46">{escape(about)}</text>\n'
    for lane, heading in enumerate(LANES):
        x = _x(lane)
        yield f'<text class="head" x="{x}" y="{_TOP - 16}">{heading}</text>\n'
        yield f'<line class="lane" x1="{x}" y1="{_TOP - 8}" x2="{x + _WIDTH}" y2="{_TOP - 8}"/>\n'
    at = {box.node: box for box in layout.boxes}
    for source, target, facts in nx.edges(data=True):
        look = _DRAWN.get(facts["kind"])
        if look is not None and source in at and target in at:
            yield _line(at[source], layout.touched.get((source, target), at[target]), look, facts)
    for row, count in layout.breaks:
        y = _TOP + row * _ROW + 16
        yield f'<text class="dim" x="{_x(2)}" y="{y}">… {count} left out …</text>\n'
    for box in layout.boxes:
        yield _drawn(nx, box, marked.get(box.node, ()))
    yield "</svg>\n"


def _x(lane: int) -> int:
    return _MARGIN + lane * (_WIDTH + _GAP)


def _marked(graph: SessionGraph, findings: Sequence[Finding]) -> dict[str, list[str]]:
    """Nodes that findings speak of, worst first, with their titles; related places without one."""
    messages: dict[tuple[str, int], str] = {}
    calls: dict[int, str] = {}
    for node, facts in graph.nx.nodes(data=True):
        if facts.get("kind") == "call":
            calls[facts["seq"]] = node
        elif node.startswith("m:"):
            session, _, index = node[2:].rpartition(":")
            messages[session, int(index)] = node
    by_call = {
        (event.at.session, event.at.message_index, event.at.call_id): calls[event.seq]
        for seq in graph.index("called")
        if isinstance(event := graph.events[seq], Called) and event.seq in calls
    }
    marked: dict[str, list[str]] = {}
    for finding in sorted(findings, key=lambda f: SEVERITIES.index(f.severity)):
        places: list[Place | Because] = [finding.at, *finding.because]
        for number, place in enumerate(places):
            called = (place.session, place.message_index, place.call_id)
            spoken_of = by_call.get(called, messages.get(called[:2]))
            if spoken_of is not None:
                titles = marked.setdefault(spoken_of, [])
                if number == 0:
                    titles.append(f"{finding.severity}: {finding.title}")
    return marked


def _chosen(graph: SessionGraph, every: Sequence[str], marked: dict[str, list[str]]) -> set[str]:
    """All nodes of a short session; of a long one those nearest to what matters, and the targets they touch."""
    if len(every) <= MOST:
        return set(every)
    nx = graph.nx
    order = {node: place for place, node in enumerate(_timed(graph, every))}
    hearts = _hearts(nx, order, marked)[0] or [max(order, key=order.__getitem__)]
    centres = sorted({order[node] for node in hearts})
    timeline = sorted(order, key=order.__getitem__)
    # Hearts first, then rings of growing distance around all of them.
    chosen: dict[str, None] = dict.fromkeys(hearts[: MOST // 2])
    targets: dict[str, None] = {}

    def take(node: str) -> None:
        chosen.setdefault(node)
        for target in nx.successors(node):
            if nx.nodes[target].get("kind") == "target":
                targets.setdefault(target)

    for node in list(chosen):
        take(node)
    distance = 0
    while len(chosen) + len(targets) < MOST and distance < len(timeline):
        distance += 1
        for centre in centres:
            for place in (centre - distance, centre + distance):
                if 0 <= place < len(timeline) and len(chosen) + len(targets) < MOST:
                    take(timeline[place])
    return {*chosen, *list(targets)[: max(0, MOST - len(chosen))]}


def _hearts(nx: Any, nodes: Collection[str], marked: Mapping[str, object]) -> tuple[list[str], str]:
    """What a picture is cut around, and the words for it; none where its end is what matters."""
    found = [node for node in marked if node in nodes]
    if found:
        return found, "Cut around the findings: what is farther away"
    opened = [node for node in nodes if nx.nodes[node].get("kind") == "operation"]
    if opened:
        return opened, "Cut: what is farther from operations left open"
    return [], "Cut: what is farther from the end"


def _timed(graph: SessionGraph, nodes: Iterable[str]) -> list[str]:
    """Nodes with a place in time, in order: a message before its calls, a call before its commands."""
    known = graph.nx.nodes
    ranks = {"message": 0, "call": 1, "operation": 3, "acknowledgement": 4, "claim": 4}
    first: dict[tuple[str, int], int] = {}
    for facts in dict(known).values():
        if "seq" in facts:
            key = (facts["session"], facts["message_index"])
            first[key] = min(first.get(key, facts["seq"]), facts["seq"])

    def when(node: str) -> tuple[int, int, str]:
        facts = known[node]
        if "seq" in facts:
            return facts["seq"], ranks.get(facts["kind"], 2), ""
        session, _, index = node[2:].rpartition(":")
        return first.get((session, int(index)), 0) if index.isdecimal() else 0, 0, node

    return sorted((node for node in nodes if known[node].get("kind") != "target"), key=when)


class _Layout(NamedTuple):
    boxes: list[_Box]
    """In order; a target may have several."""
    touched: dict[tuple[str, str], _Box]
    """For a node and a target that it touches: which box of the target."""
    breaks: list[tuple[int, int]]
    """Rows that tell how many nodes are left out, and how many."""
    rows: int
    """Height in rows."""


def _placed(graph: SessionGraph, every: Sequence[str], shown: set[str]) -> _Layout:
    """A row for each shown node, never above what came before it: a message and its call may share one."""
    nx = graph.nx
    layout = _Layout([], {}, [], 0)
    free = [0, 0, 0, 0]
    row = skipped = lane = 0
    latest: dict[str, _Box] = {}
    for node in _timed(graph, every):
        if node not in shown:
            skipped += 1
            continue
        if skipped:
            layout.breaks.append((max(free), skipped))
            row = max(free) + 1
            free = [row] * 4
            skipped = 0
        facts = nx.nodes[node]
        before, lane = lane, _lane(facts)
        row = max(row + (lane < before), free[lane])
        layout.boxes.append(_Box(node, lane, row, facts))
        free[lane] = row + 1
        for target in nx.successors(node):
            if target in shown and nx.nodes[target].get("kind") == "target":
                box = latest.get(target)
                if box is None or row - box.row > _NEAR:
                    box = latest[target] = _Box(target, 3, max(row, free[3]), nx.nodes[target])
                    layout.boxes.append(box)
                    free[3] = box.row + 1
                layout.touched[node, target] = box
    if skipped:
        layout.breaks.append((max(free), skipped))
    return layout._replace(rows=max(free) + (skipped > 0))


def _cut(text: str, signs: int) -> str:
    return text if len(text) <= signs else text[: signs - 1] + "…"


def _drawn(nx: Any, box: _Box, titles: Sequence[str]) -> str:
    facts, kind = box.facts, box.facts.get("kind", "message")
    told, classes = "", ["box"]
    if kind in ("change", "check", "target", "operation"):
        classes.append(kind)
    if kind == "call":
        told, cut = _result(nx, box.node)
        if cut:
            classes.append("cut")
    if facts.get("human"):
        classes.append("human")
    if facts.get("empty"):
        classes.append("empty")
    if titles:
        classes.append("found")
    label = _text(facts.get("label", "")) or "(calls only)"
    if kind == "operation":
        label = f"open: {label}"
    elif kind == "check" and facts.get("found"):
        label = f"{label} → {facts['found']}"
    number = f"#{facts['message_index']} " if kind == "message" and "message_index" in facts else ""
    indent = _indent(box)
    x, y = _x(box.lane) + indent, _TOP + box.row * _ROW
    signs = _SIGNS - (3 if indent else 0) - (len(told) + 1 if told else 0)
    shown = f"{_cut(number + label, max(8, signs))}{' ' + told if told else ''}"
    hover = [f"{number}{_said(facts)} {label}".strip()]
    if told:
        hover.append(told)
    if "line" in facts:
        hover.append(f"line {facts['line']} of the log")
    hover += titles
    return (
        f"<g><title>{escape(_text(chr(10).join(hover)))}</title>"
        f'<rect class="{" ".join(classes)}" x="{x}" y="{y}" width="{_WIDTH - indent}" height="{_BOX}" rx="5"/>'
        f'<text x="{x + 7}" y="{y + 16}">{escape(_text(shown))}</text></g>\n'
    )


def _indent(box: _Box) -> int:
    """Commands stand below their call, a step to the right."""
    return 18 if box.facts.get("kind") in ("change", "check", "command", "operation") else 0


def _result(nx: Any, call: str) -> tuple[str, bool]:
    """What a call tells of its result in a few signs, and whether a limit cut it off."""
    place = call[1:]
    cut, result = nx.nodes.get(f"x{place}"), nx.nodes.get(f"r{place}")
    if cut is not None:
        limit = cut.get("limit_ms")
        return (f"✂ {limit / 1000:g} s" if limit is not None else "✂ cut off"), True
    if result is None:
        return "… no result", False
    if result.get("exit") not in (None, 0):
        return f"exit {result['exit']}", False
    return ("failed", False) if result.get("label") == "error" else ("", False)


def _line(source: _Box, target: _Box, look: str, facts: dict[str, Any]) -> str:
    """An edge: across lanes from side to side, within one as an arc at its right."""
    y1 = _TOP + source.row * _ROW + _BOX // 2
    y2 = _TOP + target.row * _ROW + _BOX // 2
    if source.lane == target.lane:
        if look == "flow":
            return ""
        x = _x(source.lane) + _WIDTH
        bend = min(_GAP - 6, 8 + abs(source.row - target.row))
        path = f"M{x} {y1}C{x + bend} {y1} {x + bend} {y2} {x} {y2}"
    else:
        forward = source.lane < target.lane
        x1 = _x(source.lane) + (_WIDTH if forward else _indent(source))
        x2 = _x(target.lane) + (_indent(target) if forward else _WIDTH)
        half = (x1 + x2) // 2
        path = f"M{x1} {y1}C{half} {y1} {half} {y2} {x2} {y2}"
    words = facts["kind"].replace("_", " ") + (f": {facts['reason']}" if facts.get("reason") else "")
    return f'<path class="{look}" d="{path}"><title>{escape(_text(words))}</title></path>\n'
