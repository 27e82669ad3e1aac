"""What a declarative rule asks: the queries of the graph, written as they are in Python, and nothing else.

``after(it).until(human | change(target)).none(check(target))`` is read as a Python expression, held against a
table of the names, methods and kinds of values there are, and evaluated by walking the tree. No Python is run.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sessionlens.graph import queries
from sessionlens.graph.events import Called, Event, Ran
from sessionlens.graph.matching import PatternError, searching
from sessionlens.graph.queries import (
    KINDS,
    Predicate,
    Window,
    WordError,
    checked_words,
    kinds_among,
    never_both,
)
from sessionlens.graph.session_graph import SessionGraph
from sessionlens.targets import Target
from sessionlens.wording import did_you_mean

PREDICATE, WINDOW, EVENT, TARGET, VERDICT, NUMBER, STRING = (
    "predicate", "window", "event", "target", "verdict", "number", "string",
)  # fmt: skip
_ARTICLES = {EVENT: "an event"}

LONGEST = 4000
"""Characters of the longest expression that is read."""


class ExpressionError(ValueError):
    """An expression that asks for something there is not; says what, and what there is."""


class Missing(Exception):
    """An event, target or time that the expression speaks of is not there: what it asks is answered no."""


@dataclass(frozen=True, kw_only=True)
class _Signature:
    """What a function or method takes and gives."""

    gives: str
    takes: tuple[str, ...] = ()
    rest: str | None = None
    """Kind of any number of further arguments; at least one where there are no others."""
    named: Mapping[str, str] = field(default_factory=dict)
    """Arguments that are given by name; each may be left out, but the one of ``every``."""
    patterns: bool = False
    """Its strings are patterns."""
    among: str = "all"
    """Of a predicate, the indexes that hold what it speaks of."""


def _sig(
    gives: str, *takes: str, rest: str | None = None, patterns: bool = False, among: str = "all", **named: str
) -> _Signature:
    return _Signature(gives=gives, takes=takes, rest=rest, named=named, patterns=patterns, among=among)


_PREDICATES: dict[str, Predicate] = {
    name: value for name, value in vars(queries).items() if isinstance(value, Predicate)
}
"""Every predicate of the queries without arguments, by its name there."""

_FUNCTIONS: dict[str, _Signature] = {
    "check": _sig(PREDICATE, TARGET, among="check"),
    "change": _sig(PREDICATE, TARGET, among="change"),
    "told_state": _sig(PREDICATE, TARGET, among="check"),
    "has_effect": _sig(PREDICATE, rest=STRING, among="ran"),
    "runs": _sig(PREDICATE, rest=STRING, among="ran"),
    "of_call": _sig(PREDICATE, PREDICATE, among="ran"),
    "calls": _sig(PREDICATE, rest=STRING, among="called"),
    "in_environment": _sig(PREDICATE, rest=STRING, among="ran"),
    "speaks": _sig(PREDICATE, rest=STRING, among="said"),
    "acts_on": _sig(PREDICATE, kind=STRING, name=STRING, host=STRING, among="ran"),
    "same_target": _sig(PREDICATE, EVENT, among="ran"),
    "same_operation": _sig(PREDICATE, EVENT, among="called|ran"),
    "same_call": _sig(PREDICATE, EVENT, among="called"),
    "same_session": _sig(PREDICATE, EVENT),
    "mentions": _sig(PREDICATE, STRING, patterns=True, among="said"),
    "command_line": _sig(PREDICATE, STRING, patterns=True, among="called"),
    "shows": _sig(PREDICATE, STRING, patterns=True, among="called"),
    "took": _sig(PREDICATE, least_s=NUMBER, most_s=NUMBER, among="called"),
    "limited": _sig(PREDICATE, least_s=NUMBER, most_s=NUMBER, among="called"),
    "span": _sig(WINDOW),
    "after": _sig(WINDOW, EVENT),
    "before": _sig(WINDOW, EVENT),
    "between": _sig(WINDOW, EVENT, EVENT),
    "fulfils": _sig(VERDICT, EVENT, PREDICATE),
    "target_of": _sig(TARGET, EVENT),
    "duration": _sig(NUMBER, EVENT),
    "elapsed": _sig(NUMBER, EVENT, EVENT),
    "seconds": _sig(NUMBER, NUMBER),
    "minutes": _sig(NUMBER, NUMBER),
    "hours": _sig(NUMBER, NUMBER),
}
_METHODS: dict[str, _Signature] = {
    "until": _sig(WINDOW, rest=PREDICATE),
    "since": _sig(WINDOW, rest=PREDICATE),
    "within": _sig(WINDOW, NUMBER),
    "first": _sig(EVENT, PREDICATE),
    "last": _sig(EVENT, PREDICATE),
    "any": _sig(VERDICT, PREDICATE),
    "none": _sig(VERDICT, PREDICATE),
    "every": _sig(VERDICT, PREDICATE, of=PREDICATE),
    "count": _sig(NUMBER, PREDICATE),
    "at_least": _sig(VERDICT, NUMBER, PREDICATE),
    "sequence": _sig(VERDICT, rest=PREDICATE),
}
"""Methods of a window."""
_ATTRIBUTES = ("kind", "name", "host", "context", "namespace")
"""Attributes of a target."""
_UNITS = {"seconds": 1_000.0, "minutes": 60_000.0, "hours": 3_600_000.0}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip

VOCABULARY = (*_PREDICATES, *_FUNCTIONS, *(f".{name}" for name in _METHODS))
"""Every word an expression may use, for the page that documents them and the test that compares the two."""


class Expression:
    """One expression, read and held against the vocabulary."""

    def __init__(self, text: str, names: Mapping[str, str], gives: str) -> None:
        """Read it.

        :param names: further names, such as ``it`` and the options of the rule, with their kinds.
        :param gives: the kind of value it must give.
        :raises ExpressionError: for what is no such expression.
        """
        self.text = text
        if len(text) > LONGEST:
            raise ExpressionError(f"longer than {LONGEST} characters")
        try:
            self._tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            words = error.msg if isinstance(error, SyntaxError) else str(error)
            raise ExpressionError(f"is no expression: {words}") from None
        self._names = dict(names)
        try:
            kind = self._kind(self._tree)
        except RecursionError:
            raise ExpressionError("nested too deeply") from None
        if kind != gives:
            raise ExpressionError(f"gives {_a(kind)}, where {_a(gives)} is needed")

    # -- reading ------------------------------------------------------------------------------------

    def _kind(self, node: ast.expr) -> str:
        """The kind of value a node gives; refuses what is not in the vocabulary."""
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                return STRING
            if isinstance(node.value, int | float) and not isinstance(node.value, bool):
                return NUMBER
            raise ExpressionError(f"{node.value!r} is neither a number nor a string")
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr | ast.BitAnd):
            self._need(node.left, PREDICATE)
            self._need(node.right, PREDICATE)
            self._speaks_of(node)
            return PREDICATE
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            self._need(node.operand, PREDICATE)
            return PREDICATE
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self._need(node.operand, VERDICT)
            return VERDICT
        if isinstance(node, ast.BoolOp):
            for value in node.values:
                self._need(value, VERDICT)
            return VERDICT
        if isinstance(node, ast.Compare):
            return self._comparison(node)
        if isinstance(node, ast.Attribute):
            self._need(node.value, TARGET)
            if node.attr not in _ATTRIBUTES:
                raise ExpressionError(f"a target has no {node.attr}; it has {', '.join(_ATTRIBUTES)}")
            return STRING
        if isinstance(node, ast.Call):
            return self._call(node)
        raise ExpressionError(f"{ast.unparse(node)[:80]!r} is nothing that a rule can ask")

    def _name(self, name: str) -> str:
        if name in self._names:
            return self._names[name]
        if name in _PREDICATES:
            return PREDICATE
        if name in _FUNCTIONS:
            raise ExpressionError(f"{name} is a function: {_usage(name, _FUNCTIONS[name])}")
        known = (*self._names, *_PREDICATES, *_FUNCTIONS)
        raise ExpressionError(f"{name} is not known{did_you_mean(name, known)}")

    def _need(self, node: ast.expr, kind: str) -> None:
        given = self._kind(node)
        if given != kind:
            hint = ""
            if kind == VERDICT and given == PREDICATE:
                hint = "; predicates are combined with | & ~, verdicts with or, and, not"
            raise ExpressionError(
                f"{ast.unparse(node)[:80]!r} is {_a(given)}, where {_a(kind)} is needed{hint}"
            )

    def _comparison(self, node: ast.Compare) -> str:
        kinds = {self._kind(one) for one in (node.left, *node.comparators)}
        if kinds not in ({NUMBER}, {STRING}):
            raise ExpressionError(f"{ast.unparse(node)[:80]!r}: only numbers or strings can be compared")
        for op in node.ops:
            if type(op) not in _COMPARISONS:
                raise ExpressionError(f"{ast.unparse(node)[:80]!r}: compare with < <= > >= == !=")
        sides = (node.left, *node.comparators)
        if any(isinstance(one, ast.Attribute) and one.attr == "kind" for one in sides):
            for one in sides:
                if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value not in KINDS:
                    near = did_you_mean(one.value, KINDS) or ";"
                    raise ExpressionError(
                        f"{one.value!r} is no kind of target{near} there are {', '.join(KINDS)}"
                    )
        return VERDICT

    def _call(self, node: ast.Call) -> str:
        if isinstance(node.func, ast.Attribute):
            self._need(node.func.value, WINDOW)
            name, signature = node.func.attr, _METHODS.get(node.func.attr)
            if signature is None:
                raise ExpressionError(
                    f"a window has no {name}{did_you_mean(name, tuple(_METHODS)) or '; it has ' + ', '.join(_METHODS)}"
                )
        elif isinstance(node.func, ast.Name):
            name, signature = node.func.id, _FUNCTIONS.get(node.func.id)
            if signature is None:
                given = self._name(name)
                raise ExpressionError(f"{name} is {_a(given)} and takes no arguments")
        else:
            raise ExpressionError(f"{ast.unparse(node.func)[:80]!r} cannot be called")
        if any(isinstance(one, ast.Starred) for one in node.args) or any(
            k.arg is None for k in node.keywords
        ):
            raise ExpressionError(f"{name}: arguments are written out, without *")
        self._arguments(name, signature, node)
        return signature.gives

    def _arguments(self, name: str, signature: _Signature, node: ast.Call) -> None:
        given, fixed = len(node.args), len(signature.takes)
        too_many = given > fixed and signature.rest is None
        if given < fixed or too_many or (signature.rest is not None and given == 0):
            raise ExpressionError(f"{name} is used as {_usage(name, signature)}")
        self._words(name, node)
        for at, argument in enumerate(node.args):
            kind = signature.takes[at] if at < fixed else signature.rest
            assert kind is not None
            self._need(argument, kind)
            if signature.patterns and isinstance(argument, ast.Constant):
                try:
                    searching(str(argument.value))
                except PatternError as error:
                    raise ExpressionError(f"{name}: {error}") from None
        for keyword in node.keywords:
            assert keyword.arg is not None
            wanted = signature.named.get(keyword.arg)
            if wanted is None:
                raise ExpressionError(f"{name} is used as {_usage(name, signature)}")
            self._need(keyword.value, wanted)
        if name == "every" and not node.keywords:
            raise ExpressionError(f"every is used as {_usage(name, signature)}")
        if name == "every":
            self._together(node.keywords[0].value, node.args[0])
        if name == "of_call" and "Called" not in kinds_among(self._speaks_of(node.args[0])[1]):
            raise ExpressionError(f"of_call: {ast.unparse(node.args[0])[:80]!r} is no predicate of calls")

    def _speaks_of(self, node: ast.expr) -> tuple[str, str, str]:
        """Name, indexes and denied indexes of a predicate; refuses ``&`` of what no event can be both."""
        name = ast.unparse(node)[:80]
        if isinstance(node, ast.Name):
            return name, _PREDICATES[node.id].among, ""
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            return name, _FUNCTIONS[node.func.id].among, ""
        if isinstance(node, ast.UnaryOp):
            return name, "all", self._speaks_of(node.operand)[1]
        assert isinstance(node, ast.BinOp)
        if isinstance(node.op, ast.BitOr):
            return name, f"{self._speaks_of(node.left)[1]}|{self._speaks_of(node.right)[1]}", ""
        one, other = self._together(node.left, node.right)
        return name, min((one, other), key=lambda among: len(kinds_among(among))), ""

    def _together(self, left: ast.expr, right: ast.expr) -> tuple[str, str]:
        """The indexes of two predicates that must hold of one event."""
        one, other = self._speaks_of(left), self._speaks_of(right)
        try:
            never_both(one, other)
        except ValueError as error:
            raise ExpressionError(str(error)) from None
        return one[1], other[1]

    @staticmethod
    def _words(name: str, node: ast.Call) -> None:
        """Refuse words that a predicate does not know, so far as they are written out."""
        written = [one.value for one in node.args if isinstance(one, ast.Constant)]
        named = {one.arg: one.value.value for one in node.keywords if isinstance(one.value, ast.Constant)}
        try:
            if written and all(isinstance(word, str) for word in written):
                checked_words(name, *(str(word) for word in written))
            if isinstance(kind := named.get("kind"), str):
                checked_words(name, kind, key="kind")
        except WordError as error:
            raise ExpressionError(str(error)) from None

    # -- asking -------------------------------------------------------------------------------------

    def ask(self, graph: SessionGraph, values: Mapping[str, Any]) -> Any:
        """Its value on a graph.

        :param values: of the further names.
        :raises Missing: where it speaks of an event, a target or a time that is not there.
        """
        return _Asking(graph, values).value(self._tree)


class _Asking:
    """One evaluation."""

    def __init__(self, graph: SessionGraph, values: Mapping[str, Any]) -> None:
        self.graph, self.values = graph, values

    def value(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Name):
            found = self.values[node.id] if node.id in self.values else _PREDICATES[node.id]
            if found is None:
                raise Missing(node.id)
            return found
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.BinOp):
            left, right = self.value(node.left), self.value(node.right)
            return left | right if isinstance(node.op, ast.BitOr) else left & right
        if isinstance(node, ast.UnaryOp):
            inner = self.value(node.operand)
            return ~inner if isinstance(node.op, ast.Invert) else not inner
        if isinstance(node, ast.BoolOp):
            # Both stop as they do in Python, so that a later part need not be there.
            if isinstance(node.op, ast.And):
                return all(self.value(one) for one in node.values)
            return any(self.or_no(one) for one in node.values)
        if isinstance(node, ast.Compare):
            values = [self.value(one) for one in (node.left, *node.comparators)]
            return all(
                _COMPARISONS[type(op)](left, right)
                for op, left, right in zip(node.ops, values, values[1:], strict=False)
            )
        if isinstance(node, ast.Attribute):
            return getattr(self.value(node.value), node.attr) or ""
        assert isinstance(node, ast.Call)
        return self.call(node)

    def or_no(self, node: ast.expr) -> bool:
        """A part of an ``or``: one that speaks of what is not there leaves it to the others."""
        try:
            return bool(self.value(node))
        except Missing:
            return False

    def call(self, node: ast.Call) -> Any:
        arguments = [self.value(one) for one in node.args]
        named = {str(one.arg): self.value(one.value) for one in node.keywords}
        if isinstance(node.func, ast.Attribute):
            window = self.value(node.func.value)
            assert isinstance(window, Window)
            found = getattr(window, node.func.attr)(*arguments, **named)
            if node.func.attr == "sequence":
                return found is not None
        else:
            assert isinstance(node.func, ast.Name)
            found = self.function(node.func.id, arguments, named)
        if found is None:
            raise Missing(ast.unparse(node))
        return found

    def function(self, name: str, arguments: list[Any], named: dict[str, Any]) -> Any:
        graph = self.graph
        if name in _UNITS:
            return arguments[0] * _UNITS[name]
        if name == "fulfils":
            event, predicate = arguments
            return predicate.fulfilled(graph, event)
        if name == "target_of":
            return target_of(graph, arguments[0])
        if name == "duration":
            return graph.took(arguments[0])
        if name in ("span", "after", "before", "between", "elapsed"):
            return getattr(graph, name)(*arguments)
        return getattr(queries, name)(*arguments, **named)


def target_of(graph: SessionGraph, event: Event) -> Target | None:
    """What an event acts on: a command's target, a call's first one with a name; ``None`` without one."""
    if isinstance(event, Ran):
        return event.command.target
    if isinstance(event, Called):
        targets = queries.targets_of(graph, event)
        return next((target for target in targets if target.name), targets[0] if targets else None)
    return None


def _a(kind: str) -> str:
    return _ARTICLES.get(kind, f"a {kind}")


def _usage(name: str, signature: _Signature) -> str:
    parts = list(signature.takes)
    if signature.rest is not None:
        parts.append(f"{signature.rest}, …")
    parts += [f"{key}={kind}" for key, kind in signature.named.items()]
    return f"{name}({', '.join(parts)})"
