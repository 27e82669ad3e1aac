"""The session as a networkx graph: what exports, pictures and outside tools work with.

Nodes and edges hold ids and short labels, never long text. Node ids say what they are: ``m:ses:12`` a message,
``c:ses:12:0`` its first call, ``r:…`` the result of that call, ``x:…`` its cut-off, ``d:…:1`` its second
command, ``t:…`` a target, ``a:…`` an acknowledgement, ``k:…`` a claim.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

from sessionlens.graph.events import Called, Event, Ran, Said
from sessionlens.targets import Target

if TYPE_CHECKING:
    import networkx

    from sessionlens.graph.session_graph import SessionGraph

_LABEL = 80
"""Characters of a label."""

EDGES = (
    "follows", "answers", "calls", "returns", "cuts_off", "runs", "touches", "verifies", "polls", "retries",
    "supersedes", "acknowledges", "delegates", "claims", "about", "supports", "contradicts", "leaves_open", "opens", "closes",
)  # fmt: skip
"""Kinds of edges, in the order in which they are explained."""


def network(graph: SessionGraph) -> networkx.MultiDiGraph[str]:
    """Build the graph. The collector is off meanwhile: nothing made here is garbage before the end."""
    import networkx

    was_on = gc.isenabled()
    gc.disable()
    try:
        writer = _Writer(graph, networkx.MultiDiGraph(session=graph.session.id))
        writer.lay_out()
        writer.connect_operations()
        writer.connect_claims()
        writer.connect_changes()
        return writer.nx
    finally:
        if was_on:
            gc.enable()


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LABEL else flat[: _LABEL - 1] + "…"


class _Writer:
    def __init__(self, graph: SessionGraph, nx: networkx.MultiDiGraph[str]) -> None:
        self.graph, self.nx = graph, nx
        self._calls: dict[int, str] = {}
        self._delegating: dict[str, str] = {}
        """Child session to the call node that started it."""
        self._by_id: dict[str, str] = {}
        """Call id to its node."""
        self._counts: dict[tuple[str, int], int] = {}

    def lay_out(self) -> None:
        """Messages, calls, results, cut-offs, commands and targets, in order of the log."""
        before: dict[str, str] = {}
        person: str | None = None
        lines: dict[str, str] = {}
        for event in self.graph.events:
            if isinstance(event, Said):
                if not event.opening:
                    continue
                node = self._message(event, before)
                if event.human:
                    person = node
                elif event.role == "assistant" and person is not None and event.depth == 0:
                    self._edge(node, person, "answers")
            elif isinstance(event, Called):
                self._call(event, lines)
            else:
                self._command(event)

    def _message(self, said: Said, before: dict[str, str]) -> str:
        node = self.message_node(said)
        text = self.graph.prose(said).strip() if said.texts else ""
        self._node(
            node,
            "message",
            said,
            label=_short(text) or ("(empty)" if said.message.empty else ""),
            role=said.role,
            human=said.human,
            empty=said.message.empty,
        )
        previous = before.get(said.at.session)
        if previous is not None:
            self._edge(node, previous, "follows")
        elif said.depth > 0 and said.at.session in self._delegating:
            self._edge(self._delegating[said.at.session], node, "delegates")
        before[said.at.session] = node
        return node

    def _call(self, called: Called, lines: dict[str, str]) -> None:
        key = (called.at.session, called.at.message_index)
        number = self._counts.get(key, 0)
        self._counts[key] = number + 1
        place = f"{key[0]}:{key[1]}:{number}"
        node = self._calls[called.seq] = f"c:{place}"
        self._node(node, "call", called, label=_short(called.line or called.call.name), tool=called.call.name)
        self._edge(f"m:{key[0]}:{key[1]}", node, "calls")
        if not called.unfinished:
            result = f"r:{place}"
            self._node(result, "result", called, label=called.call.status, exit=called.call.exit)
            self._edge(node, result, "returns")
        if called.cut_off is not None:
            cut = f"x:{place}"
            self._node(cut, "cut_off", called, label=called.cut_off.by, limit_ms=called.cut_off.limit_ms)
            self._edge(cut, node, "cuts_off")
        if called.call.continues is not None:
            earlier = self._by_id.get(called.call.continues)
            if earlier is not None:
                self._edge(node, earlier, "polls")
        if called.call.id is not None:
            self._by_id.setdefault(called.call.id, node)
        if called.call.child is not None:
            self._delegating[called.call.child] = node
        if called.line is not None and called.line in lines:
            self._edge(node, lines[called.line], "retries")
        if called.line is not None:
            lines[called.line] = node

    def _command(self, ran: Ran) -> None:
        node = self.command_node(ran)
        kind = "change" if ran.change else "check" if ran.check else "command"
        self._node(
            node,
            kind,
            ran,
            label=_short(" ".join(ran.command.words)),
            effect=ran.command.effect,
            environment=ran.command.environment,
            found=ran.outcome.state,
        )
        self._edge(self._calls[ran.call.seq], node, "runs")
        if ran.command.target.name:
            self._edge(node, self._target(ran.command.target), "touches")

    def _target(self, target: Target) -> str:
        node = f"t:{target.kind}:{target.host or ''}:{target.context or ''}:{target.namespace or ''}:{target.name}"
        if node not in self.nx:
            self.nx.add_node(node, kind="target", label=_short(target.name), target_kind=target.kind)
        return node

    def connect_operations(self) -> None:
        """The ledger: what opened, closed, polled and acknowledged each operation."""
        for number, operation in enumerate(self.graph.ledger):
            node = f"o:{number}"
            self._node(node, "operation", operation.event, label=_short(operation.target.name))
            self._edge(self._event_node(operation.event), node, "opens", by=operation.opened_by)
            if operation.closing is not None:
                self._edge(self._event_node(operation.closing), node, "closes", by=operation.closed_by)
            if operation.acknowledgement is not None:
                said, act = operation.acknowledgement
                told = f"a:{said.at.session}:{said.at.message_index}:{number}"
                start, stop = act.span
                self._node(told, "acknowledgement", said, label=_short(self.graph.prose(said)[start:stop]))
                self._edge(self.message_node(said), told, "claims")
                self._edge(told, node, "acknowledges")

    def connect_claims(self) -> None:
        """What was claimed, of what, and what supports or contradicts it."""
        for number, claim in enumerate(self.graph.claims):
            node = f"k:{claim.said.at.session}:{claim.said.at.message_index}:{number}"
            self._node(node, "claim", claim.said, label=_short(claim.sentence), standing=claim.standing)
            self._edge(self.message_node(claim.said), node, "claims")
            self._edge(node, self._event_node(claim.about), "about")
            if claim.evidence is not None:
                contradicts = claim.standing in ("contradicted", "premature")
                kind = (
                    "contradicts"
                    if contradicts
                    else "supports"
                    if claim.standing == "supported"
                    else "leaves_open"
                )
                self._edge(self._event_node(claim.evidence), node, kind)

    def connect_changes(self) -> None:
        """For each change: the checks that verify it, and the next change of the same target."""
        from sessionlens.graph.queries import change, check

        for seq in self.graph.index("change"):
            ran = self.graph.events[seq]
            if not isinstance(ran, Ran) or not ran.command.target.name:
                continue
            target = ran.command.target
            later = self.graph.after(ran)
            following = later.first(change(target))
            if following is not None:
                self._edge(self._event_node(following), self.command_node(ran), "supersedes")
                later = later.until(change(target))
            verifying = later.first(check(target))
            if isinstance(verifying, Ran):
                match = self.graph.match(verifying, target)
                reason = match.reason if match is not None else ""
                self._edge(self.command_node(verifying), self.command_node(ran), "verifies", reason=reason)

    # -- naming -------------------------------------------------------------------------------------

    @staticmethod
    def message_node(said: Said) -> str:
        return f"m:{said.at.session}:{said.at.message_index}"

    def command_node(self, ran: Ran) -> str:
        return f"d{self._calls[ran.call.seq][1:]}:{ran.seq - ran.call.seq - 1}"

    def _event_node(self, event: Event) -> str:
        if isinstance(event, Said):
            return self.message_node(event)
        return self._calls[event.seq] if isinstance(event, Called) else self.command_node(event)

    def _node(self, node: str, kind: str, event: Event, **facts: Any) -> None:
        at = event.at
        shown = {name: value for name, value in facts.items() if value is not None}
        if at.line is not None:
            shown["line"] = at.line
        self.nx.add_node(
            node, kind=kind, session=at.session, message_index=at.message_index, seq=event.seq, **shown
        )

    def _edge(self, source: str, target: str, kind: str, **facts: Any) -> None:
        self.nx.add_edge(source, target, kind=kind, **facts)
