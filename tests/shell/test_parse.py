"""From a line to the simple commands in it: order, conditions, here-documents, variables, broken and hostile lines."""

from __future__ import annotations

import time

import pytest

from sessionlens.shell import read
from sessionlens.shell.parse import braces, parse, unquote


def words(line: str) -> list[str]:
    return [" ".join(piece.words) for piece in parse(line).pieces]


def test_here_document_is_taken_out_and_what_follows_it_on_the_line_stays() -> None:
    pieces = parse("cat > /etc/a <<'EOF' && systemctl restart x &\nit's $HOME\nEOF\nnext\n").pieces
    assert [p.words for p in pieces] == [["cat"], ["systemctl", "restart", "x"], ["next"]]
    assert pieces[0].stdin == "it's $HOME\n"
    assert pieces[1].runs_if == "after_success"
    assert pieces[1].detached
    assert not pieces[2].detached


@pytest.mark.parametrize(
    ("line", "bodies"),
    [
        ("cat <<A <<B\n1\nA\n2\nB\n", ["2\n"]),
        ("cat <<-EOF\n\tx\n\tEOF\n", ["\tx\n"]),
        ("git commit -m \"$(cat <<'EOF'\nit's\nEOF\n)\"", ["it's\n", None]),
        ("cat <<EOF | ssh h sh\nls\nEOF", ["ls\n", None]),
    ],
)
def test_here_documents(line: str, bodies: list[str | None]) -> None:
    parsed = parse(line)
    assert [p.stdin for p in parsed.pieces] == bodies
    assert not parsed.partly


def test_word_with_a_here_document_keeps_it() -> None:
    piece = parse("git commit -m \"$(cat <<'EOF'\nfix: it's done\nEOF\n)\"").pieces[-1]
    assert "fix: it's done" in piece.words[-1]


def test_lone_dash_is_kept() -> None:
    assert words("python3 - <<EOF\nx\nEOF") == ["python3 -"]
    assert words("tar xf - -C /x; cat -") == ["tar xf - -C /x", "cat -"]


def test_substitutions_run_first() -> None:
    assert words("a $(b) <(c); d") == ["b", "c", "a $(b) <(c)", "d"]


@pytest.mark.parametrize(
    ("line", "conditions"),
    [
        ("a && b || c; d", ["always", "after_success", "after_failure", "always"]),
        ("if a; then b; else c; fi", ["always", "after_success", "after_failure"]),
        ("if ! a; then b; fi", ["always", "after_failure"]),
        ("! a && b", ["always", "after_failure"]),
        ("until a; do b; done", ["always", "after_failure"]),
        ("while a; do b; done", ["always", "after_success"]),
        ("for i in 1 2; do a; done", ["always"]),
        ("set -e\na\nb", ["always", "after_success", "after_success"]),
        ("a && (b; c)", ["always", "after_success", "after_success"]),
    ],
)
def test_conditions(line: str, conditions: list[str]) -> None:
    assert [p.runs_if for p in parse(line).pieces] == conditions


def test_function_runs_where_it_is_called_and_only_there() -> None:
    assert words("f() { a $1; }; g() { never; }; b; f x") == ["b", "a x"]


def test_functions_that_call_each_other_end() -> None:
    assert len(parse("f() { g; g; }; g() { f; f; }; f").pieces) < 5_000


@pytest.mark.parametrize(
    ("line", "last"),
    [
        ("H=web1; ssh root@$H ls", "ssh root@web1 ls"),
        ('H="a b"; echo "${H}"', "echo a b"),
        ("if x; then H=a; else H=b; fi; ssh $H", "ssh $H"),
        ("H=$(hostname); ssh $H", "ssh $H"),
        ("(H=a); ssh $H", "ssh $H"),
        ("export H=a && ssh $H", "ssh a"),
        ("ssh ${H:-web9}", "ssh web9"),
    ],
)
def test_only_literal_assignments_are_put_in(line: str, last: str) -> None:
    assert words(line)[-1] == last


def test_quotes() -> None:
    assert unquote("'a b'\"c $X\"\\ d$'\\n'", {}).text == "a bc $X d\n"
    assert unquote('"$(a "b c")"', {}).text == '$(a "b c")'
    assert braces("a{b,c}d") == ["abd", "acd"]
    assert braces("n{08..10}") == ["n08", "n09", "n10"]


@pytest.mark.parametrize(
    "line", ['ssh h "systemctl restart x', "a $(b", "cat <<EOF\nnever ends", "if a; then b"]
)
def test_broken_lines_keep_their_sound_part(line: str) -> None:
    commands = read(line)
    assert commands
    assert all(c.partly_parsed and c.confidence == "low" for c in commands)


def test_windows_line_ends() -> None:
    assert words("a x\r\nb\r\n") == ["a x", "b"]


def test_spans_are_characters() -> None:
    line = "echo ä; ls"
    command = read(line)[1]
    assert line[slice(*command.span)] == "ls"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("ls\r\n\r\npwd -P", ["ls", "pwd -P"]), ("(PY'", ["PY'"]), ("ls\r\nnohup 'x", ["ls", "nohup 'x"]),
        ("ls\r\nä\r\nb", ["ls", "ä", "b"]), ('ls; echo "a', ["ls", 'echo "a']),
    ],
)  # fmt: skip
def test_spans_speak_of_the_line_as_given(line: str, shown: list[str]) -> None:
    commands = read(line)
    assert [line[slice(*command.span)] for command in commands] == shown
    assert all(command.span[1] <= len(line) for command in commands)


HUGE = 100_000


@pytest.mark.parametrize(
    "text",
    [
        "(" * HUGE, ")" * HUGE, "'" * HUGE, '"' * HUGE, "`" * HUGE, "$(" * HUGE, "${" * HUGE, "{" * HUGE, "<" * HUGE,
        "a | " * HUGE, "a && " * HUGE, "a@" * HUGE, "ssh h " * HUGE, "bash -c '" * HUGE, '"$(' * HUGE, "a() " * HUGE,
        "> a " * HUGE, "if a; then " * 20_000, "cat <<A\n" * 20_000, "sudo " * HUGE, "\\" * HUGE, "{a,b}" * 5_000,
        "kubectl apply -f - <<E\nmetadata:\n" + "  a: b\n" * 30_000 + "E", "psql -c '" + "SELECT 'a';" * 10_000 + "'",
        "python3 - <<E\n" + "open(a, " * 30_000 + "\nE", "find " + "-exec a ; " * 20_000,
    ],
    ids=lambda t: t[:12],
)  # fmt: skip
def test_hostile_lines_cost_little(text: str) -> None:
    read("ls")
    start = time.process_time()
    read(text)
    # The aim is half a second; the factor is for machines that are busy or slow.
    assert time.process_time() - start < 2.0
