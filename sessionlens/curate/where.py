"""Filters: expressions of pandas' query language, checked before pandas sees them.

``severity >= 'high' and model.str.contains('sonnet')`` is what it is for. An expression may name columns, compare,
combine with ``and``, ``or``, ``not`` and arithmetic, and use the string methods and tests listed here. Everything
else (variables with ``@``, other attributes and calls, subscripts, names that are no column) is refused: an
expression may come from a file that somebody else wrote.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from sessionlens.curate.rows import TABLES, parts, types_of

if TYPE_CHECKING:
    import pandas

ORDERED: dict[str, tuple[str, ...]] = {
    "severity": ("info", "low", "medium", "high", "critical"),
    "confidence": ("low", "medium", "high"),
}
"""Columns whose words have an order: ``severity >= 'high'`` means high and critical."""
STRING_METHODS = frozenset(
    {
        "contains",
        "startswith",
        "endswith",
        "lower",
        "upper",
        "strip",
        "len",
        "match",
        "fullmatch",
        "isnumeric",
    }
)
"""Methods of ``.str``."""
TESTS = frozenset({"isna", "notna", "isin", "between"})
"""Methods of a column."""
LONGEST = 2_000
"""Characters of an expression."""
FILTERED = ("sessions", "steps", "episodes", "pairs")
"""Tables that can be filtered."""

_OPERATORS = (ast.And, ast.Or, ast.Not, ast.USub, ast.UAdd, ast.Invert, ast.BitAnd, ast.BitOr, ast.Add, ast.Sub,
              ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In,
              ast.NotIn, ast.Load)  # fmt: skip
_NODES = (ast.Expression, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Compare, ast.List, ast.Tuple)


class WhereError(ValueError):
    """An expression that is refused; says where and why in one line."""


class Where(msgspec.Struct, frozen=True, kw_only=True):
    """A checked filter of one table."""

    table: str
    """The table."""
    expression: str
    """The expression."""
    columns: tuple[str, ...]
    """Columns that it names."""


def parse(text: str) -> Where:
    """A filter as the command line takes it: ``EXPRESSION`` for sessions, or ``TABLE: EXPRESSION``.

    :raises WhereError: for anything that is not in the small language.
    """
    table, expression = "sessions", text
    named = re.match(r"\s*([a-z]+)\s*:(?!:)", text)
    if named is not None:
        table, expression = named[1], text[named.end() :]
        if table not in FILTERED:
            raise WhereError(f"no table {table} to filter; there are {', '.join(FILTERED)}")
    expression = " ".join(expression.split())
    if len(expression) > LONGEST:
        raise WhereError(f"longer than {LONGEST} characters")
    try:
        tree = ast.parse(expression, mode="eval")
    except SyntaxError as error:
        place = f" at character {error.offset}" if error.offset else ""
        raise WhereError(f"{expression[:80]!r} is no expression: {error.msg}{place}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise WhereError(f"{expression[:80]!r} is no expression ({error.__class__.__name__})") from None
    known = columns(table)
    found: dict[str, None] = {}
    _check(tree, known, table, found)
    if not found:
        raise WhereError("it names no column")
    _typed(tree, table)
    return Where(table=table, expression=expression, columns=tuple(found))


def columns(table: str) -> tuple[str, ...]:
    """Columns of a table that a filter may name: those that hold one plain value."""
    return tuple(
        name
        for name, hint in types_of(TABLES[table]).items()
        if not parts(hint)[1] and parts(hint)[0] in (str, int, float, bool)
    )


def _check(tree: ast.AST, known: Sequence[str], table: str, found: dict[str, None]) -> None:
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            if node.id not in known:
                raise WhereError(
                    f"{table} has no column {node.id} to filter by; there are {', '.join(known)}"
                )
            found[node.id] = None
        elif isinstance(node, ast.Constant):
            if not isinstance(node.value, (str, int, float, bool)) or (
                isinstance(node.value, (int, float)) and abs(node.value) > 1e18
            ):
                raise WhereError(f"{node.value!r} may not stand in a filter")
        elif isinstance(node, ast.Call):
            waiting += _call(node)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and _is_text(node):
            raise WhereError("a text cannot be multiplied")
        elif isinstance(node, (*_OPERATORS, *_NODES)):
            waiting += ast.iter_child_nodes(node)
        else:
            raise WhereError(f"{_words(node)} may not stand in a filter")


# What pandas would only say of the rows, in its own words, is said before: which column, which value, where.


def _typed(tree: ast.AST, table: str) -> None:
    """Refuse comparisons of a column with what it cannot be compared with, and texts' methods of other columns."""
    hints = types_of(TABLES[table])
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for one, other in itertools.pairwise(sides):
                for column, value in ((one, other), (other, one)):
                    if isinstance(column, ast.Name):
                        _fits(column, value, hints)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            _method(node, node.func, hints)


def _fits(column: ast.Name, value: ast.expr, hints: Mapping[str, Any]) -> None:
    if isinstance(value, (ast.List, ast.Tuple)):
        for item in value.elts:
            _fits(column, item, hints)
    if not isinstance(value, ast.Constant):
        return
    place = f"at character {value.col_offset + 1}"
    kind = parts(hints[column.id])[0]
    if column.id in ORDERED:
        if value.value not in ORDERED[column.id]:
            words = ", ".join(ORDERED[column.id])
            raise WhereError(f"{column.id} is one of {words}; not {value.value!r} {place}")
    elif isinstance(value.value, str) != (kind is str):
        what = {str: "text", bool: "true or false"}.get(kind, "a number")
        raise WhereError(f"{column.id} is {what}; it cannot be compared with {value.value!r} {place}")


def _method(node: ast.Call, function: ast.Attribute, hints: Mapping[str, Any]) -> None:
    texts = isinstance(function.value, ast.Attribute)
    column = function.value.value if isinstance(function.value, ast.Attribute) else function.value
    place = f"at character {node.col_offset + 1}"
    if isinstance(column, ast.Name):
        if texts and parts(hints[column.id])[0] is not str:
            raise WhereError(f"{column.id} is no text: .str.{function.attr} {place} does not fit it")
        if not texts and function.attr in ("isin", "between"):
            for argument in node.args:
                _fits(column, argument, hints)
    plain = any(
        k.arg == "regex" and isinstance(k.value, ast.Constant) and not k.value.value for k in node.keywords
    )
    if texts and function.attr in ("contains", "match", "fullmatch") and node.args and not plain:
        pattern = node.args[0]
        if isinstance(pattern, ast.Constant) and isinstance(pattern.value, str):
            try:
                re.compile(pattern.value)
            except re.error as error:
                raise WhereError(
                    f"{pattern.value!r} at character {pattern.col_offset + 1} is no pattern: {error.msg}; "
                    "write regex=False to look for it as it stands"
                ) from None


def _is_text(node: ast.BinOp) -> bool:
    return any(
        isinstance(side, ast.Constant) and isinstance(side.value, str) for side in (node.left, node.right)
    )


def _call(node: ast.Call) -> list[ast.AST]:
    """The parts of an allowed call that are still to be looked at."""
    function = node.func
    allowed = False
    inner: ast.AST = function
    if isinstance(function, ast.Attribute):
        if isinstance(function.value, ast.Attribute) and function.value.attr == "str":
            allowed, inner = function.attr in STRING_METHODS, function.value.value
        else:
            allowed, inner = function.attr in TESTS, function.value
    if not allowed:
        raise WhereError(
            f"{_words(function)} may not be called; there are .str.{', .str.'.join(sorted(STRING_METHODS))}, "
            f".{', .'.join(sorted(TESTS))}"
        )
    for keyword in node.keywords:
        if keyword.arg not in ("case", "regex", "na", "inclusive"):
            raise WhereError(f"no argument {keyword.arg} may be given")
    arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
    for argument in arguments:
        if not _constant(argument):
            raise WhereError("arguments must be plain values")
    return [inner, *arguments]


def _constant(node: ast.AST) -> bool:
    if isinstance(node, (ast.List, ast.Tuple)):
        return all(_constant(item) for item in node.elts)
    return isinstance(node, ast.Constant)


def _words(node: ast.AST) -> str:
    try:
        return ast.unparse(node)[:80]
    except (ValueError, RecursionError):
        return type(node).__name__


def holds(where: Where, rows: Sequence[Any]) -> list[bool]:
    """For each row of the table whether the filter holds. A null compares as false.

    :raises WhereError: when pandas cannot evaluate it on these columns.
    """
    if not rows:
        return []
    import pandas

    data = frame(rows, where.table, where.columns)
    try:
        found = data.eval(where.expression, engine="python", parser="pandas", local_dict={}, global_dict={})
    except Exception as error:
        # Whatever pandas finds wrong with somebody's expression is told in one line.
        raise WhereError(f"{where.expression}: {' '.join(str(error).split())[:200]}") from None
    values = getattr(found, "tolist", lambda: None)()
    if not isinstance(values, list) or len(values) != len(rows):
        raise WhereError(f"{where.expression}: says nothing of each row")
    # pandas' NA is neither true nor false, and a NaN is true.
    return [not (value is pandas.NA or value != value) and bool(value) for value in values]  # noqa: PLR0124


def frame(rows: Sequence[Any], table: str, names: Sequence[str]) -> pandas.DataFrame:
    """Columns of rows as a frame, words with an order as ordered."""
    import pandas

    hints = types_of(TABLES[table])
    data: Mapping[str, Any] = {name: [getattr(row, name) for row in rows] for name in names}
    found = pandas.DataFrame(data)
    for name in names:
        inner, _, _ = parts(hints[name])
        if name in ORDERED:
            kind = pandas.CategoricalDtype(list(ORDERED[name]), ordered=True)
            found[name] = pandas.Categorical(found[name], dtype=kind)
        elif inner is str:
            found[name] = found[name].astype("object").where(found[name].notna(), "")
        elif inner is int:
            found[name] = found[name].astype("Float64" if found[name].isna().any() else "int64")
    return found
