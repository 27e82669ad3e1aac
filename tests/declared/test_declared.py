"""Declarative rules: what a file may say, what is wrong with it and where, and that none of it runs away."""

import time
import tomllib
from pathlib import Path

import pytest

from sessionlens import loader
from sessionlens.cli.rules_new import _DECLARATIVE
from sessionlens.declared import expressions, lines
from sessionlens.declared.expressions import EVENT, NUMBER, PREDICATE, VERDICT, Expression, ExpressionError
from sessionlens.engine import audit
from sessionlens.examples import Example, asks, bash, run_example, says
from sessionlens.graph import queries
from sessionlens.graph.session_graph import SessionGraph
from sessionlens.loader import LoadError
from sessionlens.rule import Rule, options, page
from sessionlens.targets import Target

SLUG = "short-limit"


def a_rule(folder: Path, *changes: tuple[str, str], slug: str = SLUG) -> Path:
    text = _DECLARATIVE.format(slug=slug)
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    file = folder / f"{slug.replace('-', '_')}.rule.toml"
    file.write_text(text, encoding="utf-8")
    return file


def classes(folder: Path) -> dict[str, type[Rule]]:
    """The rules of one folder alone, through the door of all."""
    found = {}
    for shown, load in loader._folder(folder):
        rule = load()
        loader.check_contract(rule, shown)
        found[rule.slug] = rule
    return found


def wrong(folder: Path, *changes: tuple[str, str]) -> list[str]:
    file = a_rule(folder, *changes)
    with pytest.raises(LoadError) as error:
        classes(folder)
    return [problem.replace(file.as_posix(), "F") for problem in error.value.problems]


def line_with(words: str, text: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if words in line)


def test_it_comes_through_the_door_of_all_rules(tmp_path: Path):
    a_rule(tmp_path)
    assert SLUG in loader.classes([tmp_path])


def test_the_skeleton_is_a_rule_like_any_other(tmp_path: Path):
    a_rule(tmp_path)
    rule = classes(tmp_path)[SLUG]
    *ready, to_fill_in = rule.examples
    assert [miss for example in ready for miss in run_example(rule(), example)] == []
    assert run_example(rule(), to_fill_in)
    assert [(one.name, one.default) for one in options(rule)] == [("least_s", 60)]
    assert options(rule)[0].meaning.startswith("A limit of more seconds")
    assert list(page(rule).sections) == ["What it flags", "Why it matters", "What to do", "Facts"]
    selection = loader.select({SLUG: rule}, options={SLUG: {"least_s": 5}})
    session = Example("t", bash("make", limit=10, times_out=True)).build()[0]
    assert audit(session, rules=selection.rules).findings == ()
    (finding,) = audit(session, rules=[rule()]).findings
    assert finding.title == "bash was cut off by a limit under 60 s"
    with pytest.raises(loader.OptionError, match="Expected `int`"):
        loader.select({SLUG: rule}, options={SLUG: {"least_s": "long"}})


def test_formats_that_do_not_record_what_it_needs_are_not_judged(tmp_path: Path):
    a_rule(tmp_path)
    rule = classes(tmp_path)[SLUG]
    session = Example("t", bash("make", limit=10, times_out=True), source_format="aider").build()[0]
    (skipped,) = audit(session, rules=[rule()]).not_checkable
    assert "do not record time-outs" in skipped.reason


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('severity = "low"', 'severity = "bad"', "severity: is 'bad'; known are critical, high, medium, low, info"),
        ('severity = "low"', "severity = 3", "severity: must be a string that is not empty"),
        ('severity = "low"', 'severity = "low"\nkind = "x"', "kind: is 'x'; known are fault, good, signal"),
        ('since = "0.1"\n', "", "since is missing"),
        ('slug = "short-limit"', 'slug = "other"', "slug: is 'other', expected 'short-limit' after the file's name"),
        ('since = "0.1"', 'since = "0.1"\nfinds = "x"', "finds: unknown key; known are slug, kind"),
        ('["time_outs"]', '["timeouts"]', "needs[0]: is 'timeouts'; known are calls, times"),
        ("cut_off & limited", "cutoff & limited", "find: cutoff is not known; did you mean cut_off?"),
        ("cut_off & limited", "cut_off and limited", "predicates are combined with | & ~, verdicts with or, and, not"),
        ("limited(most_s=least_s)", "limited(most=least_s)", "find: limited is used as limited(least_s=number, most_s=number)"),
        ('find = "cut_off', 'find = "after(it).first(human)" #', "find: it is not known"),
        ("when = []", "when = ['true', 'span().any(end']", "when[0]: true is not known"),
        ("when = []", "when = ['span().any(end']", "when[0]: is no expression: '(' was never closed"),
        ("when = []", "when = ['after(it).untill(human).any(human)']", "when[0]: a window has no untill; did you mean until?"),
        ("when = []", "when = 'x'", "when: must be a list"),
        ("when = []", "when = [1]", "when[0]: must be an expression in a string"),
        ("when = []", "when = ['any_call & shows(\"(?=a)\")']", "when[0]: shows: '(?=a)' is no RE2 pattern"),
        ("when = []", "when = ['span().count(human)']", "when[0]: gives a number, where a verdict is needed"),
        ("when = []", "when = ['human(it)']", "when[0]: human is a predicate and takes no arguments"),
        ("when = []", "when = ['check']", "when[0]: check is a function: check(target)"),
        ("when = []", "when = ['target.owner == \"x\"']", "when[0]: a target has no owner; it has kind, name"),
        ("when = []", "when = ['it.seq > 3']", "when[0]: 'it' is an event, where a target is needed"),
        ("when = []", "when = ['span().every(human)']", "when[0]: every is used as every(predicate, of=predicate)"),
        ("when = []", "when = ['1 in 2']", "when[0]: '1 in 2': compare with < <="),
        ("when = []", "when = ['1 < \"2\"']", "only numbers or strings can be compared"),
        ("when = []", "when = ['(lambda: 1)()']", "when[0]: 'lambda: 1' cannot be called"),
        ("when = []", "when = ['[1][0]']", "when[0]: '[1][0]' is nothing that a rule can ask"),
        ("when = []", "when = ['span().any(*human)']", "when[0]: any: arguments are written out, without *"),
        ("{tool} was", "{what} was", "title: {what} is not known; known are target, host, environment, tool, line, least_s"),
        ("default = 60", "default = true", "options.least_s.default: must be a number or a string"),
        ("default = 60\n", "", "options.least_s: default is missing"),
        ("[options.least_s]", "[options.slug]", "options.slug: is no name for an option"),
        ('{bash = "make", limit = 10', '{bash = "make", limits = 10', "examples[0].steps[1]: bash: a step does not know limits"),
        ('{asks = "build it"}', '{ask = "build it"}', "examples[0].steps[0]: a step has one of asks, says"),
        ('{asks = "build it"}', "{asks = 1}", "examples[0].steps[0].asks: must be a string"),
        ("flag = true", "flag = 1", "examples[0].steps[1].flag: must be true, or a table"),
        ("[options.least_s]", "[severity_in]\nprod = 'low'\n[options.least_s]", "severity_in.prod: unknown environment; known are production"),
        ("[options.least_s]", "[severity_in]\nlocal = 'bad'\n[options.least_s]", "severity_in.local: is 'bad'; known are critical"),
        ("[options.least_s]", "[facts.n]\nvalue = 'it'\nmeaning = 'x'\n[options.least_s]", "facts.n.value: gives an event, where a verdict, number or string is needed"),
        ("[options.least_s]", "[[because]]\nevent = 'target'\nnote = 'x'\n[options.least_s]", "because[0].event: gives a target, where an event is needed"),
    ],
)  # fmt: skip
def test_an_error_names_file_line_and_key(tmp_path: Path, old: str, new: str, says: str):
    problems = wrong(tmp_path, (old, new))
    here = [problem for problem in problems if says in problem]
    assert here, problems
    number = int(here[0].split(":")[1])
    text = (tmp_path / "short_limit.rule.toml").read_text("utf-8").splitlines()
    key = here[0].split(":")[2].strip()
    if key and "is missing" not in key and "step" not in key:
        assert key.split(".")[-1].split("[")[0] in text[number - 1] or key.startswith(("because", "facts"))


def test_all_problems_at_once_in_order_of_lines(tmp_path: Path):
    problems = wrong(
        tmp_path,
        ('severity = "low"', "severity = 1"),
        ("default = 60", "default = []"),
        ("cut_off &", "off &"),
    )
    assert [problem.split(": ")[1] for problem in problems] == ["severity", "find", "options.least_s.default"]
    numbers = [int(problem.split(":")[1]) for problem in problems]
    assert numbers == sorted(numbers)


def test_what_is_no_toml_or_no_text(tmp_path: Path):
    file = a_rule(tmp_path, ('since = "0.1"', "since = = 1"))
    with pytest.raises(LoadError, match=r"short_limit\.rule\.toml:4: no TOML: Invalid value"):
        classes(tmp_path)
    file.write_bytes(b"slug = '\xff'")
    with pytest.raises(LoadError, match="is not UTF-8"):
        classes(tmp_path)
    file.write_text("a = '", "utf-8")
    with pytest.raises(LoadError, match=r"short_limit\.rule\.toml:1: no TOML"):
        classes(tmp_path)


def test_examples_are_held_to_the_contract(tmp_path: Path):
    assert any(
        "no example is flagged" in problem for problem in wrong(tmp_path, *[(", flag = true", "")] * 2)
    )


def test_lines_of_keys_in_every_form_of_toml():
    text = '''
a = 1
"b c" = [ # a comment, with = and [
    1,
    "]",   # two
    { d = 2, e = """
long = 3
""" },
]
f.g = 'x'
[h]
i = """
[not]
a = header"""
[[j]]
k = 1
[[j]]
[j.l]
m = 2026-01-05T09:00:00
n = {o = [ {p = 1},
   {p = 2} ]}
'''
    tomllib.loads(text)
    found = lines.places(text)
    assert found["a",] == 2
    assert found["b c",] == 3
    assert [found["b c", at] for at in range(3)] == [4, 5, 6]
    assert found["b c", 2, "e"] == 6
    assert found["f", "g"] == 10
    assert found["h", "i"] == 12
    assert ("not",) not in found
    assert found["j", 0, "k"] == 16
    assert found["j", 1] == 17
    assert found["j", 1, "l", "m"] == 19
    assert found["j", 1, "l", "n", "o", 1, "p"] == 21
    assert lines.line_of(found, ("h", "i", 3, "x")) == 12
    assert lines.line_of(found, ("nowhere",)) == 1


@pytest.mark.parametrize(
    "text",
    ["a = ", "[", "[[[", "a = [[[[", "= = =", 'a = "', "{}", "\0", "a.b.", "[a" * 500, "a=" + "[" * 5000],
)
def test_looking_for_lines_ends_on_any_text(text: str):
    assert isinstance(lines.places(text), dict)


def test_what_is_not_there_does_not_hold(tmp_path: Path):
    graph_rule = ("when = []", "when = ['after(after(it).first(human)).none(checks) or duration(it) > 1']")
    a_rule(tmp_path, graph_rule)
    rule = classes(tmp_path)[SLUG]
    cut = bash("make", limit=10, times_out=True)
    # No human message follows: the first part does not hold, and leaves it to the second.
    assert len(audit(Example("t", cut).build()[0], rules=[rule()]).findings) == 1
    a_rule(tmp_path, ("when = []", "when = ['after(after(it).first(human)).none(checks)']"))
    rule = classes(tmp_path)[SLUG]
    assert audit(Example("t", cut).build()[0], rules=[rule()]).findings == ()
    assert len(audit(Example("t", cut, asks("and?")).build()[0], rules=[rule()]).findings) == 1


def test_conditions_read_as_they_are_written(tmp_path: Path):
    for condition, fires in (
        ("not after(it).any(assistant_prose)", False),
        ("after(it).any(assistant_prose) and not span().any(end)", True),
        ("0 < span().count(any_call) <= 1", True),
        ('target.name != "x"', True),
        ("span().sequence(human, any_call, assistant_prose)", True),
        ("before(it).since(human).within(hours(1)).any(any_call)", False),
        ("elapsed(span().first(human), it) >= seconds(1)", True),
        ("after(it).every(mentions('cut'), of=assistant_prose)", True),
    ):
        a_rule(tmp_path, ("when = []", f'when = ["""{condition}"""]'))
        rule = classes(tmp_path)[SLUG]
        steps = (asks("x"), bash("make", limit=10, times_out=True), says("It was cut off."))
        assert bool(audit(Example("t", *steps).build()[0], rules=[rule()]).findings) is fires, condition


def test_an_expression_cannot_reach_anything():
    for text in (
        "it.__class__",
        "__import__('os')",
        "span.__globals__",
        "(human).holds",
        "f'{it}'",
        "it if 1 else it",
    ):
        with pytest.raises(ExpressionError):
            Expression(text, {"it": EVENT}, VERDICT)
    with pytest.raises(ExpressionError, match="longer than"):
        Expression("human | " * 1000 + "human", {}, PREDICATE)
    with pytest.raises(ExpressionError):
        Expression("~" * 3000 + "human", {}, PREDICATE)
    assert Expression("1", {}, NUMBER).text == "1"


def test_a_pattern_that_would_run_away_elsewhere_does_not_here(tmp_path: Path):
    a_rule(
        tmp_path,
        ('find = "cut_off & limited(most_s=least_s)"', "find = 'any_call & shows(\"(a|a|aa)+(a+)+$\")'"),
    )
    rule = classes(tmp_path)[SLUG]
    session = Example("t", *(bash("x", output="a" * 8000 + "b") for _ in range(20))).build()[0]
    began = time.process_time()
    result = audit(session, rules=[rule()])
    assert result.rule_errors == ()
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("has_effect('restrat')", "'restrat' is no effect; did you mean restart? there are check, "),
        ("has_effect('restart', 'redeploy')", "'redeploy' is no effect; did you mean deploy?"),
        ("has_effect('Restart')", "'Restart' is no effect; did you mean restart?"),
        ("human & speaks('nonsense')", "'nonsense' is no act of speech; there are acknowledges_cut_off, "),
        ("speaks('claim_success')", "did you mean claims_success?"),
        ("in_environment('prod')", "'prod' is no environment; did you mean production?"),
        ("acts_on(kind='fiel')", "'fiel' is no kind of target; did you mean file?"),
        ("acts_on(kind='pod*')", "'pod*' is no kind of target; "),
        ("runs('git push')", 'each word by itself: runs("git", "push")'),
        ("runs('')", "an empty word fits nothing"),
        ("runs()", "runs is used as runs(string, …)"),
    ],
)
def test_a_word_that_there_is_not_is_told_when_the_file_is_loaded(tmp_path: Path, text: str, words: str):
    (problem,) = wrong(tmp_path, ('find = "cut_off & limited(most_s=least_s)"', f'find = "{text}"'))
    assert problem.startswith(f"F:{line_with('find =', _DECLARATIVE)}: find: ")
    assert words in problem


def test_a_kind_that_there_is_not_is_told_in_a_comparison_too(tmp_path: Path):
    (problem,) = wrong(tmp_path, ("when = []", """when = ['target.kind == "servise"']"""))
    assert problem.startswith(
        f"F:{line_with('when =', _DECLARATIVE)}: when[0]: 'servise' is no kind of target; did you"
    )


@pytest.mark.parametrize(
    "text",
    ["has_effect('restart', 'none')", "speaks('complaint')", "in_environment('unknown')", "acts_on(kind='k*')",
     "acts_on(name='fiel')", "runs('gti')", "runs('*Program Files*')", "calls('no_such_tool')"],
)  # fmt: skip
def test_words_that_there_are_and_names_of_tools_are_taken(text: str):
    assert Expression(text, {}, PREDICATE).text == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("runs('git') & command_line('push')",
         "runs('git') is a command of a call (Ran), command_line('push') a call (Called), so that no event is both; "
         "write runs('git') & of_call(command_line('push'))"),
        ("shows('x') & starts", "write starts & of_call(shows('x'))"),
        ("starts & (cut_off | human)", "so that no event is both"),
        ("starts & ~cut_off", "cut_off a call (Called), would hold for each of them; write starts & ~of_call(cut_off)"),
        ("human & failed", "such as after(event).first("),
        ("any_command & of_call(checks)", "'checks' is no predicate of calls"),
        ("starts & failed & limited(most_s=9)", "so that no event is both"),
    ],
)  # fmt: skip
def test_what_no_event_can_be_both_is_refused(tmp_path: Path, text: str, words: str):
    (problem,) = wrong(tmp_path, ('find = "cut_off & limited(most_s=least_s)"', f'find = "{text}"'))
    assert problem.startswith(f"F:{line_with('find =', _DECLARATIVE)}: find: ")
    assert words in problem
    (problem,) = wrong(tmp_path, ("when = []", 'when = ["span().every(starts, of=any_call)"]'))
    assert "starts" in problem
    assert "any_call" in problem


@pytest.mark.parametrize(
    "text",
    ["starts & ~failed", "human & end", "any_call & same_session(it)", "same_operation(it) & starts", "~human & ~starts",
     "(human | starts) & any_command", "starts & of_call(cut_off)", "failed & shows('x')", "starts & ~of_call(~cut_off)"],
)  # fmt: skip
def test_what_an_event_can_be_both_is_taken(text: str):
    assert Expression(text, {"it": EVENT}, PREDICATE).text == text


def test_what_a_predicate_speaks_of_is_what_the_queries_say():
    made = Example("t", bash("make", flag=SLUG)).build()[0]
    graph = SessionGraph(made)
    event = graph.events[-1]
    given = {
        expressions.TARGET: Target(),
        EVENT: event,
        expressions.STRING: "make",
        PREDICATE: queries.any_call,
    }
    known = {"has_effect": "restart", "speaks": "complaint", "in_environment": "local"}
    for name, signature in expressions._FUNCTIONS.items():
        if signature.gives == PREDICATE:
            takes = signature.takes or ((signature.rest,) if signature.rest else ())
            made_of = [known.get(name, given[kind]) for kind in takes]
            assert getattr(queries, name)(*made_of).among == signature.among, name


@pytest.mark.parametrize(
    ("condition", "fires"), [("fulfils(it, calls('bash'))", True), ("fulfils(it, polls)", False)]
)
def test_an_event_is_asked_whether_it_fulfils_a_predicate(tmp_path: Path, condition: str, fires: bool):
    a_rule(tmp_path, ("when = []", f'when = ["{condition}"]'))
    session = Example("t", bash("make", limit=10, times_out=True)).build()[0]
    assert bool(audit(session, rules=[classes(tmp_path)[SLUG]()]).findings) is fires


def test_a_backslash_that_was_eaten_on_the_way_to_a_pattern_is_told(tmp_path: Path):
    old = 'find = "cut_off & limited(most_s=least_s)"'
    for eaten in (
        r"""find = 'shows("\bmake")'""",
        r"""find = "shows('\bmake')" """,
        r"""find = "shows(r'\bmake')" """,
    ):
        (problem,) = wrong(tmp_path, (old, eaten))
        assert problem.startswith(f"F:{line_with('find =', _DECLARATIVE)}: find: shows: ")
        assert "holds the control character '\\x08'" in problem
    for kept in (r"""find = 'shows(r"\bmake")'""", r"""find = 'shows("\\bmake")'"""):
        a_rule(tmp_path, (old, kept))
        session = Example("t", bash("x", output="remake"), bash("x", output="a make")).build()[0]
        a_rule(tmp_path, (old, kept), ("unless = [", "unless = [] #"))
        (finding,) = audit(session, rules=[classes(tmp_path)[SLUG]()]).findings
        assert finding.at.message_index == 1
