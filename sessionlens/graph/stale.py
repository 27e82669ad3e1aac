"""Runs of tests whose verdict is told although the code was changed after them: what passed is not what there is now.

Only a change of code counts: not a comment, a document, another layout of the same code, nor code of a language that the
run does not test. Whatever was run since may have been the tests.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sessionlens.cache import lazy
from sessionlens.environments import scratch
from sessionlens.graph.events import Called, Ran, Turn
from sessionlens.graph.file_changes import FileChange, plain
from sessionlens.graph.part_of_tests import asked_for, left_out, told_as_all
from sessionlens.graph.shortfalls import failing_run, only_prints
from sessionlens.graph.speaking import hands_in
from sessionlens.language.acts import Act, Reading
from sessionlens.model import Compaction

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

_TESTS = lazy(
    r"(?:\btest\w*|\b(?:suites?|specs?|pruebas?|essais|prove|prób\w*)\b|\b\d{1,6}\s?/\s?\d{1,6}\b|\btestów\b)|тест|测试|用例|テスト|테스트",
    re.IGNORECASE,
)
"""What a run of tests is called, or its count: ``58/58``."""
PASSED = lazy(
    r"\b(?:pass(?:es|ed|ing)?|green|grün\w*|gröna?|grønn?e?|bestanden|bestehen|durch(?:gelaufen)?|erfolgreich|passent|passe|réussi\w*|verte?s?|pasan?|pasaron|pasado|superad[oa]s|verdes?|passan?o|superat[ei]|verdi|passam|passaram|passando"
    r"|slagen|geslaagd|groen|przech\w+|zielon\w+|geç(?:ti|iyor)|başarılı|godkän\w+|igenom|prošl\w+|procházej\w*|zelen\w+|succeed\w*|successful(?:ly)?)\b"
    r"|проход|пройд|прошл|зел[её]н|通过|通過|合格|成功|グリーン|통과|성공|通り|通っ|パス",
    re.IGNORECASE,
)
"""Words by which tests are said to pass, in many languages."""
_WHEN = lazy(
    r"\b(?:before|earlier|previous(?:ly)?|since\s+then|after\s+(?:that|the|this)\s+(?:\w+\s+)?run|afterwards|re-?run|not\s+run\s+again|prior\s+to|until\s+then|vor(?:her|ab)?|davor|danach|zuvor|seitdem|nochmals?|avant|ensuite|depuis|antes|luego|desde\s+entonces"
    r"|despu[eé]s(?!\s+de)|depois(?!\s+d[aeo])|prima|poi|voor(?:af)?|daarna|sindsdien|przed|potem|önce|före|därefter)\b"
    r"|(?<!\w)(?:до|перед|затем|потом|после\s+этого|с\s+тех\s+пор|раньше|потім|після\s+цього)(?!\w)|之前|此后|随后|之后(?=[又只才我])|改前|前に|その後|以前|이전|그\s?후|전에",
    re.IGNORECASE,
)
"""Words by which a sentence about tests says when they ran."""
_LINTS = lazy(
    r"\b(?:ruff|eslint|tsc|mypy|pyright|flake8|pylint|clippy|vet|lint\w*|type-?check\w*|fmt|format\w*|prettier|black|isort|stylelint|biome|golangci-lint|shellcheck|hadolint|markdownlint|yamllint|rubocop|phpstan|psalm|py_compile|compileall|doctest)\b|\bcargo\s+check\b|--no-?emit\b|\bnode\s+--check\b|\bphp\s+-l\b|\bbash\s+-n\b",
    re.IGNORECASE,
)
"""Runs that read code and do not test what it does."""
_BUILDS_AND_TESTS = frozenset(
    {"mvn", "mvnw", "gradle", "gradlew", "make", "gmake", "bazel", "rake", "just", "task", "nox", "tox", "mix", "sbt", "lein", "swift", "ctest", "ninja", "stack", "cabal", "dune", "zig", "nix", "earthly", "dagger", "act"}
)  # fmt: skip
"""Programs whose builds may run the tests too."""
_CODE = lazy(
    r"\.(?:(?P<python>pyi?)|(?P<script>jsx?|tsx?|mjs|cjs|mts|cts|vue|svelte|astro)|(?P<go>go)|(?P<rust>rs)|(?P<jvm>java|kts?|scala|groovy|clj)|(?P<ruby>rb|erb)|(?P<php>php)|(?P<net>cs|fs|vb|razor)|(?P<swift>swift|mm?)"
    r"|(?P<native>c|cc|cpp|cxx|h|hpp|hh)|(?P<elixir>exs?|erl)|(?P<dart>dart)|(?P<other>lua|jl|r|pl|pm|sql|proto|hs|ml|zig|nim|cr|sol|sh|bash))$",
    re.IGNORECASE,
)
"""Endings of code, by the family of languages that a runner tests."""
_RUNNERS: dict[str, str] = {
    "pytest": "python", "py.test": "python", "python": "python", "python3": "python", "tox": "python", "nox": "python", "unittest": "python", "django-admin": "python", "manage.py": "python",
    "jest": "script", "vitest": "script", "mocha": "script", "ava": "script", "karma": "script", "npm": "script", "pnpm": "script", "yarn": "script", "bun": "script", "deno": "script", "node": "script",
    "playwright": "script", "cypress": "script", "jasmine": "script", "go": "go", "gotestsum": "go", "cargo": "rust", "mvn": "jvm", "gradle": "jvm", "gradlew": "jvm", "sbt": "jvm", "lein": "jvm",
    "rspec": "ruby", "rails": "ruby", "rake": "ruby", "minitest": "ruby", "phpunit": "php", "pest": "php", "artisan": "php", "composer": "php", "dotnet": "net", "swift": "swift", "xcodebuild": "swift",
    "mix": "elixir", "dart": "dart", "flutter": "dart", "ctest": "native",
}  # fmt: skip
"""The languages that a runner tests; of others it is not known."""
_NOTES = lazy(r"todo|plan|memory|think|note|question|ask", re.IGNORECASE)
"""Names of tools with which an agent keeps its own notes, or asks."""
_COMMENT = lazy(
    r"^\s*(?:#(?!\[|!|include|define|if|el|end|pragma)|//|/\*|\*|--(?!\S)|;;|<!--|%|'''|\"\"\").*$"
)
_TRAILING = lazy(r"(?<=[\s;{}(),])(?:#|//)\s.{0,400}$|/\*.{0,400}?\*/")
_PROSE = lazy(r"^[^=(){}\[\]<>;:+*/&|%@$]+$")
"""A line without any sign of code: within a text that documents it."""
_KEYWORD = lazy(
    r"^\s*(?:return|pass|break|continue|raise|throw|yield|import|from|use|end|else|try|do|begin|fi|done|then|assert|del|global|goto|defer)\b"
)
_WORDS_OF_PROSE = 3
_MOST_LINES = 400


class Stale(NamedTuple):
    """A sentence that tells what tests showed, and the change of the code after their last run."""

    act: Act
    """The words."""
    sentence: str
    """The sentence."""
    run: Ran
    """The last run of tests before it."""
    change: FileChange
    """The first change of code after that run."""


class Unrun(NamedTuple):
    """A sentence that tells that tests pass, where nothing so far can have been a run of any."""

    act: Act
    """The words."""
    sentence: str
    """The sentence."""
    change: FileChange
    """The last change of code before it."""


class Partial(NamedTuple):
    """A sentence that tells a run of a part of the tests as one of all."""

    act: Act
    """The words."""
    sentence: str
    """The sentence."""
    run: Ran
    """The run."""
    left: str
    """What it left out, as its result or its command says."""


class LastRuns:
    """The last run of tests of a session, taken in as its turns go by."""

    def __init__(self, graph: SessionGraph) -> None:
        """Take the session."""
        self._graph = graph
        self._last: tuple[Ran, bool] | None = None
        """The last run, and whether it passed."""
        self._changes: dict[int, list[FileChange]] | None = None
        self._whole = False
        """Whether all tests may have passed since the code was last changed."""
        self._unrun = not graph.session.children and not any(
            isinstance(part, Compaction) for message in graph.session.messages for part in message.parts
        )
        """Whether nothing so far can have been a run of tests: what was summarised or done by others may have been."""
        self._turns = 0
        """Number of the last turn that was taken in."""

    def of(self, turn: Turn, reading: Reading, before: int) -> Stale | None:
        """What the statement by which a turn ends tells of tests that ran before the code was changed in that turn.

        :param before: position of the statement.
        """
        told = _told(reading)
        if told is None or self._graph.session.children or _tells_when(reading, told[1]):
            return None
        last, changed = self._last, None
        for call in turn.calls:
            if call.seq >= before:
                break
            run = _run_of(self._graph, call)
            if run is not None:
                last, changed = run, None
            elif last is not None and self._may_test(call):
                last, changed = None, None
            elif last is not None and changed is None:
                changed = next((one for one in self._changes_of(call) if _of_code(one, last[0])), None)
        if last is None or changed is None or not last[1]:
            return None
        act, sentence = told
        return Stale(act, sentence, last[0], changed)

    def unrun(self, turn: Turn, reading: Reading, before: int) -> Unrun | None:
        """What the statement by which a turn that changed code ends tells of tests, where none can have run.

        :param before: position of the statement.
        """
        if not self._unrun:
            return None
        told = _told(reading, lambda words: _OF_TESTS.search(words) is not None)
        calls = [call for call in turn.calls if call.seq < before]
        if told is None or _tells_when(reading, told[1]) or any(self._tests(call) for call in calls):
            return None
        opener = turn.messages[0] if turn.messages and turn.messages[0].human else None
        if opener is None or turn.number != self._turns + 1 or PASSED.search(self._graph.prose(opener)):
            # What the person said of the tests may be what is told, and so may what came before the log.
            return None
        changed = [one for call in calls for one in self._changes_of(call) if _CODE.search(plain(one.path))]
        return Unrun(*told, changed[-1]) if changed else None

    def _tests(self, call: Called) -> bool:
        """Whether a call may have run tests, or shows what a run of them printed."""
        return (
            _run_of(self._graph, call) is not None
            or self._may_test(call)
            or (call.call.output is not None and _VERDICT.search(call.call.output.ends()) is not None)
        )

    def partly(self, turn: Turn, reading: Reading, before: int) -> Partial | None:
        """What the statement by which a turn ends tells of all tests, where a part of them ran in that turn.

        :param before: position of the statement.
        """
        if self._graph.session.children or not any(
            PASSED.search(sentence.text) is not None for sentence in reading.sentences
        ):
            return None
        whole, last = self._whole, None
        for call in turn.calls:
            if call.seq >= before:
                break
            whole = self._all_ran(call, whole=whole)
            last = _run_of(self._graph, call) or last
        if whole or last is None or not last[1]:
            return None
        run = last[0]
        family = _RUNNERS.get(run.command.program)
        left = left_out(run, family)
        told = _told(reading, lambda words: told_as_all(words, run, family)) if left else None
        opener = turn.messages[0] if turn.messages and turn.messages[0].human else None
        if told is None or (opener is not None and asked_for(run, family, self._graph.prose(opener))):
            return None
        return Partial(*told, run, left)

    def _all_ran(self, call: Called, *, whole: bool) -> bool:
        """Whether all tests may have passed after a call, where it is known whether they had before it."""
        tests = [ran for ran in self._graph.commands(call) if ran.command.effect == "test"]
        if tests:
            return whole or any(
                not ran.outcome.failed and not left_out(ran, _RUNNERS.get(ran.command.program))
                for ran in tests
            )
        if self._may_test(call):
            return True
        return whole and not any(_CODE.search(plain(one.path)) for one in self._changes_of(call))

    def add(self, turn: Turn) -> None:
        """Take in what was run in a turn."""
        self._turns = turn.number
        for call in turn.calls:
            self._unrun = self._unrun and not self._tests(call)
            self._whole = self._all_ran(call, whole=self._whole)
            run = _run_of(self._graph, call)
            if run is not None:
                self._last = run
            elif self._last is not None and self._may_test(call):
                self._last = None
            elif self._last is not None and any(
                _of_code(one, self._last[0]) for one in self._changes_of(call)
            ):
                # What a later turn tells of it was told, or not, when it was changed.
                self._last = None

    def _changes_of(self, call: Called) -> Sequence[FileChange]:
        if self._changes is None:
            self._changes = {}
            for change in self._graph.file_changes:
                self._changes.setdefault(change.event.call.seq, []).append(change)
        return self._changes.get(call.seq, ())

    def _may_test(self, call: Called) -> bool:
        """Whether a call may have run the tests: a program, a task or a tool that is not known, or a verdict from elsewhere."""
        commands = self._graph.commands(call)
        if not commands:
            return not hands_in(call.call.name) and _NOTES.search(call.call.name) is None
        if only_prints(commands):
            return False
        return any(
            (ran.command.effect == "build" and ran.command.program in _BUILDS_AND_TESTS)
            or (ran.command.effect == "check" and ran.command.check_strength in ("state", "exercise"))
            or (ran.command.effect in ("none", "start", "deploy") and ran.command.program not in _PLAIN)
            for ran in commands
        )


_PLAIN = frozenset({"echo", "printf", "cd", "export", "set", "source", ".", "true", ":", "sleep", "wait", "date", "pwd", "clear", "git", "pushd", "popd", "["})  # fmt: skip


def _run_of(graph: SessionGraph, call: Called) -> tuple[Ran, bool] | None:
    """The run of tests of a call, and whether it passed; ``None`` where it ran none."""
    commands = graph.commands(call)
    tests = [
        ran
        for ran in commands
        if ran.command.effect == "test" and _LINTS.search(" ".join(ran.command.words[:8])[:400]) is None
    ]
    if not tests:
        return None
    passed = all(
        ran.outcome.completed == "yes" and failing_run(graph, ran, commands) is None for ran in tests
    )
    return tests[-1], passed


def _told(reading: Reading, holds: Callable[[str], bool] = lambda _words: True) -> tuple[Act, str] | None:
    """The first sentence of a statement that says that tests pass, and not when they ran, of which something holds."""
    for sentence in reading.sentences:
        words = sentence.text
        if _TESTS.search(words) is None or PASSED.search(words) is None or not holds(words):
            continue
        act = next((act for act in sentence.acts if act.act in ("claims_check", "claims_success")), None)
        if act is None and (sentence.acts or re.search(r"\d", words) is None):
            continue
        return act or Act(act="claims_check", span=sentence.span), words
    return None


def _tells_when(reading: Reading, told: str) -> bool:
    """Whether a statement says of a run when it was, or that it was not made again, there or in the next sentence."""
    follows = False
    for sentence in reading.sentences:
        words = sentence.text
        of_run = follows or _TESTS.search(words) is not None or _RAN.search(words) is not None
        if of_run and _WHEN.search(words) is not None:
            return True
        follows = words == told
    return False


_OF_TESTS = lazy(
    r"\b(?:tests|test(?: (?:suite|run))?(?=(?: (?:now|still|is|was|has|also|again)){0,2} (?:pass|green|succe))|suites?|specs?|testy|testów|testler\w*|testen|pruebas|testes|prove|tester(?:na)?)(?![\w./-]| (?:page|case|data|file|that|which|to|for|who|button|env\w*|host|server|user|account|db|database)\b)[^.!?;\n]{0,40}?\b(?:pass(?:es|ed|ing)?|green|grün|bestanden|bestehen|durch(?:gelaufen)?|passent|passe|réussi\w*|verts?|pasan?|pasaron|pasado|verdes?|passan?o|superati|passam|passaram|passando|slagen|geslaagd|groen|przech\w+|zielon\w+|geç(?:ti|iyor)|başarılı|godkän\w+|igenom|prošl\w+|procházej\w*|zelen\w+|succeed\w*|successful(?:ly)?)\b"
    r"|\b(?:pass(?:es|ed|ing)?|hepsi geç\w+)\b[^.!?;\n]{0,20}\b(?:all|every|\d+)\b[^.!?;\n]{0,20}\btests?\b|\btestler\w*\b.{0,40}\bgeç"
    r"|(?:тест\w*|тесты).{0,40}(?:проход|пройд|прошл|зел[её]н)|(?:проход|пройд|прошл)\w*.{0,20}тест|(?:测试|用例).{0,20}(?:通过|成功)|通过.{0,8}测试|テスト.{0,20}(?:通り|通っ|通過|成功|パス|グリーン)|테스트.{0,20}(?:통과|성공)|\b\d{1,6}\s?/\s?\d{1,6}\b",
    re.IGNORECASE,
)
"""Tests of which it is said that they pass, not what is tested with them: ``a test page that turns green``."""
_VERDICT = lazy(
    r"\b\d{1,6} (?:tests? )?(?:passed|passing|failed|failures?|succeeded|bestanden)\b|\bTests?(?: run)?:\s{1,8}\d|^(?:ok|PASS|FAIL|OK)\b|\ball tests\b|\btests? (?:passed|suites?)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""What a run of tests leaves in a log or a report."""
_RAN = lazy(
    r"\b(?:r[au]n(?:ning)?|lauf\w*|lief\w*|exécut\w*|ejecut\w*|esegu\w*|execut\w*)\b|запус|跑|运行|実行|실행",
    re.IGNORECASE,
)


def _of_code(change: FileChange, run: Ran) -> bool:
    """Whether a change alters code that a run tests."""
    found = _CODE.search(plain(change.path))
    if found is None or change.event.command.target.host is not None or scratch(change.event.command.target):
        return False
    tested = _RUNNERS.get(run.command.program)
    if tested is not None and found.lastgroup not in (tested, None):
        return False
    if change.how in ("delete", "move"):
        return not change.new_file
    return change.shown and _bare(change.removed) != _bare(change.added)


def _bare(text: str) -> str:
    """A piece of code without its comments, its documentation, its layout and its kind of quotes."""
    return re.sub(r"[\s,;'\"`]+", "", "\n".join(_code_lines(text)))


def _code_lines(text: str) -> Iterator[str]:
    for line in text.splitlines()[:_MOST_LINES]:
        piece = line[:1000]
        if _COMMENT.match(piece) is not None:
            continue
        prose = _PROSE.match(piece) is not None and _KEYWORD.match(piece) is None
        if prose and len(piece.split()) >= _WORDS_OF_PROSE:
            continue
        yield _TRAILING.sub("", piece)
