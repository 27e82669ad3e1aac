"""Filters: what they can say, and everything that they must refuse."""

import pytest

from sessionlens.curate.rows import SessionRow
from sessionlens.curate.where import WhereError, columns, holds, parse


def row(**given: object) -> SessionRow:
    plain: dict[str, object] = {}
    for name in SessionRow.__struct_fields__:
        plain[name] = {"not_checkable": ()}.get(name, 0)
    plain |= dict.fromkeys(("session", "model", "format", "ends_with"), "")
    plain |= dict.fromkeys(("severity", "language", "licence", "duration_ms", "repository"))
    return SessionRow(**{**plain, **given})  # type: ignore[arg-type]


ROWS = [
    row(session="a", severity="critical", model="claude-sonnet-4", faults=3, duration_ms=100, language="en"),
    row(session="b", severity="low", model="gpt-5", faults=1, licence="MIT"),
    row(session="c", severity=None, model="claude-opus", faults=0, truncated=True, duration_ms=5_000),
]


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("severity >= 'high'", "a"),
        ("severity < 'high'", "b"),
        ("severity == 'low'", "b"),
        ("severity.isna()", "c"),
        ("severity >= 'high' and model.str.contains('sonnet')", "a"),
        ("model.str.contains('CLAUDE', case=False)", "ac"),
        ("model.str.startswith('claude') or faults == 1", "abc"),
        ("not model.str.contains('claude')", "b"),
        ("faults > 0", "ab"),
        ("0 < faults <= 1", "b"),
        ("faults * 2 + 1 > 6", "a"),
        ("faults in [0, 3]", "ac"),
        ("licence.isin(['MIT', 'Apache-2.0'])", "b"),
        ("duration_ms > 1000", "c"),
        ("duration_ms.notna()", "ac"),
        ("truncated", "c"),
        ("truncated == False", "ab"),
        ("session.str.len() == 1 and faults.between(1, 2)", "b"),
        ("language == 'en'", "a"),
        ("sessions: faults == 0", "c"),
    ],
)
def test_what_a_filter_can_say(expression: str, wanted: str):
    found = holds(parse(expression), ROWS)
    assert "".join(one.session for one, ok in zip(ROWS, found, strict=True) if ok) == wanted


@pytest.mark.parametrize(
    "expression",
    [
        "@secret == 1",
        "__import__('os').system('id')",
        "session.__class__",
        "session.__class__.__mro__",
        "model.str.__class__",
        "model.str.contains.__globals__",
        "model.str.replace('a', 'b')",
        "model.str.encode('x')",
        "model.str.format(1)",
        "model.map(print)",
        "model.apply('print')",
        "model.to_pickle('/tmp/x')",
        "faults.to_csv('/tmp/x')",
        "faults.pipe(print)",
        "faults.values.tofile('/tmp/x')",
        "model.str.contains(session)",
        "model.str.contains(model.str.lower())",
        "model.str.contains('x', flags=2)",
        "model.isin(open('/etc/passwd'))",
        "eval('1')",
        "index > 0",
        "faults[0]",
        "[x for x in faults]",
        "lambda: 1",
        "faults if faults else 1",
        "f'{faults}'",
        "(y := faults)",
        "faults ** 9999999",
        "'a' * 9999999999 == model",
        "faults > 10 ** 10 ** 10",
        "faults << 99999",
        "1 == 1",
        "True",
        "model == b'x'",
        "model == ...",
        "`model` == 'x'",
        "faults > 0; faults",
        "faults = 3",
        "tools: calls > 1",
        "findings: 1",
        "",
        "faults >",
        "model.str['x']",
        "faults.isin(faults)",
        "-" * 5000 + "faults",
        "(" * 500 + "faults" + ")" * 500,
    ],
)
def test_what_a_filter_refuses(expression: str):
    with pytest.raises(WhereError) as caught:
        parse(expression)
    assert "\n" not in str(caught.value)


def test_what_pandas_cannot_evaluate_is_told():
    for expression in ("faults > 'x'", "model > 3", "model.str.contains('(')", "faults.str.contains('x')"):
        with pytest.raises(WhereError):
            holds(parse(expression), ROWS)


def test_columns_that_hold_lists_cannot_be_named():
    assert "not_checkable" not in columns("sessions")
    assert "messages" not in columns("steps")
    with pytest.raises(WhereError):
        parse("steps: messages == 1")


def test_no_rows_no_answer():
    assert holds(parse("faults > 0"), []) == []
