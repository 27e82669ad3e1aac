"""From a ``*.rule.toml`` file to a rule class that goes through the same door as one written in Python."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, get_args

from sessionlens import examples
from sessionlens.capabilities import FACTS, not_recorded
from sessionlens.declared import lines
from sessionlens.declared.expressions import (
    EVENT,
    NUMBER,
    PREDICATE,
    STRING,
    TARGET,
    VERDICT,
    Expression,
    ExpressionError,
    Missing,
    target_of,
)
from sessionlens.examples import Example, Step
from sessionlens.findings import SEVERITIES, Finding, FindingKind, Severity
from sessionlens.graph.events import Called, Event, Ran
from sessionlens.graph.session_graph import SessionGraph
from sessionlens.model import Session
from sessionlens.rule import HEADINGS, Reason, Rule
from sessionlens.targets import Confidence, Environment
from sessionlens.wording import named

_LARGEST = 1_000_000

_PAGE = {heading.lower().replace(" ", "_"): heading for heading in HEADINGS if heading != "Facts"}
"""The keys of the page, with their headings."""
_STRINGS = ("slug", "kind", "severity", "confidence", "since", "title", "note", "summary", "find", *_PAGE)
_NEEDED = ("slug", "severity", "since", "title", "summary", *_PAGE, "find", "examples")
_KEYS = (*_STRINGS, "severity_in", "when", "unless", "because", "facts", "options", "needs", "examples")
_WORDS: Mapping[str, tuple[str, ...]] = {
    "kind": get_args(FindingKind),
    "severity": SEVERITIES,
    "confidence": get_args(Confidence),
}
_FILLED = re.compile(r"\{(\w+)\}")
_GIVEN = {"it": EVENT, "target": TARGET}
_IN_TITLE = ("target", "host", "environment", "tool", "line")
_STEPS = {
    "asks": "text", "says": "text", "nothing": "finish", "bash": "command", "tool": "name", "edit": "path",
    "write": "path", "read": "path", "compaction": "summary", "waits": "seconds", "child": "steps", "group": "steps",
}  # fmt: skip
"""Steps of examples, each with what its own value is."""


class DeclarationError(ValueError):
    """A declarative rule that is none. One line a problem: file, line, key, what to do."""

    def __init__(self, problems: Sequence[str]) -> None:
        """Keep the problems; the text of the error is all of them."""
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Declared(Rule):
    """A rule whose ``check`` asks what a file says."""

    declaration: ClassVar[_Declaration]
    """What the file says."""
    meanings: ClassVar[Mapping[str, str]]
    """What each option means; stands for the docstrings under the fields."""

    def checkable(self, session: Session) -> str | None:
        """By the facts that the file says the rule needs."""
        return not_recorded(session.source_format, *self.declaration.needs)

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each event that is found, where all conditions hold."""
        said = self.declaration
        options = {name: getattr(self, name) for name in self.meanings}
        find = said.find.ask(graph, options)
        for event in graph.span().all(find):
            values = {"it": event, "target": target_of(graph, event), **options}
            if all(_holds(one, graph, values) for one in said.when) and not any(
                _holds(one, graph, values) for one in said.unless
            ):
                yield self._found(graph, event, values)

    def asked_of(self, graph: SessionGraph, event: Event) -> Iterator[tuple[str, str, bool]]:
        """What the rule asks of one event, in order, up to what decides: key, expression, whether it holds."""
        said = self.declaration
        options = {name: getattr(self, name) for name in self.meanings}
        found = said.find.ask(graph, options).fulfilled(graph, event)
        yield "find", said.find.text, found
        if not found:
            return
        values = {"it": event, "target": target_of(graph, event), **options}
        for key, conditions, wanted in (("when", said.when, True), ("unless", said.unless, False)):
            for at, one in enumerate(conditions):
                holds = _holds(one, graph, values)
                yield f"{key}[{at}]", one.text, holds
                if holds is not wanted:
                    return

    def _found(self, graph: SessionGraph, event: Event, values: dict[str, Any]) -> Finding:
        said = self.declaration
        facts = {name: _value(expression, graph, values) for name, expression in said.facts.items()}
        environment = graph.setting(event).environment if isinstance(event, Ran) else None
        words = {**_words(event, values["target"], environment), **facts, **values}
        related: list[Reason] = []
        for expression, note in said.because:
            found = _value(expression, graph, values)
            if found is not None:
                quote = found.outcome.quote if isinstance(found, Ran) else ""
                related.append((found, _fill(note, words), quote))
        return self.finding(
            event,
            _fill(said.title, words),
            because=related,
            severity=said.severity_in.get(environment, self.severity) if environment else self.severity,
            confidence=said.confidence,
            facts=facts,
            note=_fill(said.note, words),
        )


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Declaration:
    """What a file says, read."""

    find: Expression
    title: str
    note: str
    confidence: Confidence
    when: tuple[Expression, ...]
    unless: tuple[Expression, ...]
    because: tuple[tuple[Expression, str], ...]
    facts: dict[str, Expression]
    needs: tuple[Any, ...]
    severity_in: dict[Environment, Severity]


def _holds(expression: Expression, graph: SessionGraph, values: dict[str, Any]) -> bool:
    return bool(_value(expression, graph, values))


def _value(expression: Expression, graph: SessionGraph, values: dict[str, Any]) -> Any:
    """What an expression gives; ``None`` where it speaks of what is not there."""
    try:
        return expression.ask(graph, values)
    except Missing:
        return None


def _words(event: Event, target: Any, environment: str | None) -> dict[str, Any]:
    """What a title may name of the event."""
    called = event.call if isinstance(event, Ran) else event if isinstance(event, Called) else None
    line = "" if called is None else called.line or called.call.name
    return {
        "target": "" if target is None else named(target),
        "host": (target.host if target is not None else None) or "",
        "environment": environment or "",
        "tool": "" if called is None else called.call.name,
        "line": line.split("\n")[0][:80],
    }


def _fill(text: str, words: Mapping[str, Any]) -> str:
    from sessionlens.targets import Target

    def word(match: re.Match[str]) -> str:
        value = words.get(match[1])
        return named(value) if isinstance(value, Target) else "" if value is None else str(value)

    return _FILLED.sub(word, text)


# -- reading a file -------------------------------------------------------------------------------------


def load(file: Path, shown: str) -> type[Rule]:
    """The rule that a file declares.

    :param shown: its name in errors.
    :raises DeclarationError: with every problem found, each with its line and key.
    """
    try:
        if file.stat().st_size > _LARGEST:
            raise DeclarationError([f"{shown}: larger than {_LARGEST} bytes, which is no rule"])
        text = file.read_text("utf-8")
    except OSError as error:
        raise DeclarationError([f"{shown}: {error.strerror or error}"]) from None
    except UnicodeDecodeError as error:
        raise DeclarationError([f"{shown}: is not UTF-8: {error.reason}"]) from None
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        # Its words end with "(at line 3, column 5)".
        where = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", str(error))
        line = text.count("\n") + 1 if where is None or where[1] is None else int(where[1])
        words = str(error) if where is None else str(error)[: where.start()]
        raise DeclarationError([f"{shown}:{line}: no TOML: {words}"]) from None
    except RecursionError:
        raise DeclarationError([f"{shown}: nested too deeply"]) from None
    return _Reading(table, lines.places(text), shown).rule(file.name.removesuffix(".rule.toml"))


class _Reading:
    """One file on its way to a rule: collects problems with their lines."""

    def __init__(self, table: dict[str, Any], places: dict[lines.Path, int], shown: str) -> None:
        self.table, self.places, self.shown = table, places, shown
        self.problems: list[tuple[int, str]] = []
        self.names: dict[str, str] = {}

    def wrong(self, path: lines.Path, words: str) -> None:
        line = lines.line_of(self.places, path)
        key = "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in path).lstrip(".")
        self.problems.append((line, f"{self.shown}:{line}: {key + ': ' if key else ''}{words}"))

    def rule(self, stem: str) -> type[Rule]:
        for key in self.table:
            if key not in _KEYS:
                self.wrong((key,), f"unknown key; known are {', '.join(_KEYS)}")
        for key in _NEEDED:
            if key not in self.table:
                self.wrong((), f"{key} is missing")
        text = {key: self.string((key,), self.table[key]) for key in _STRINGS if key in self.table}
        for key, known in _WORDS.items():
            if text.get(key) and text[key] not in known:
                self.wrong((key,), f"is {text[key]!r}; known are {', '.join(known)}")
        slug = text.get("slug", "")
        if "slug" in text and slug != stem.replace("_", "-"):
            self.wrong(("slug",), f"is {slug!r}, expected {stem.replace('_', '-')!r} after the file's name")
        options = self.options()
        self.names = dict(_GIVEN)
        for name, (default, _) in options.items():
            self.names[name] = STRING if isinstance(default, str) else NUMBER
        only_options = {name: kind for name, kind in self.names.items() if name not in _GIVEN}
        find = self.expression(("find",), self.table.get("find"), PREDICATE, only_options)
        conditions = {
            key: tuple(
                one
                for at, value in enumerate(self.listed((key,), self.table.get(key, [])))
                if (one := self.expression((key, at), value, VERDICT)) is not None
            )
            for key in ("when", "unless")
        }
        facts, meanings = self.facts()
        for key in ("title", "note"):
            self.filled((key,), text.get(key, ""), facts)
        because = self.because(facts)
        severity_in = self.severity_in()
        needs = self.listed(("needs",), self.table.get("needs", []))
        for at, fact in enumerate(needs):
            if not isinstance(fact, str) or fact not in FACTS:
                self.wrong(("needs", at), f"is {fact!r}; known are {', '.join(FACTS)}")
        shown_examples = self.examples(slug)
        if self.problems:
            raise DeclarationError([words for _, words in sorted(self.problems)])
        assert find is not None
        confidence: Any = text.get("confidence", "high")
        declaration = _Declaration(
            find=find,
            title=text["title"],
            note=text.get("note", ""),
            confidence=confidence,
            when=conditions["when"],
            unless=conditions["unless"],
            because=because,
            facts=facts,
            needs=tuple(needs),
            severity_in=severity_in,
        )
        return _made(text, declaration, options, meanings, shown_examples)

    # -- pieces -------------------------------------------------------------------------------------

    def string(self, path: lines.Path, value: Any) -> str:
        if not isinstance(value, str) or not value.strip():
            self.wrong(path, "must be a string that is not empty")
            return ""
        return value.strip()

    def listed(self, path: lines.Path, value: Any) -> list[Any]:
        if isinstance(value, list):
            return value
        self.wrong(path, "must be a list")
        return []

    def tables(self, path: lines.Path, value: Any) -> dict[str, Any]:
        if isinstance(value, dict):
            return value
        self.wrong(path, "must be a table")
        return {}

    def keys(self, path: lines.Path, table: Mapping[str, Any], known: tuple[str, ...]) -> bool:
        """Whether a table has exactly these keys."""
        for key in table:
            if key not in known:
                self.wrong((*path, key), f"unknown key; known are {', '.join(known)}")
        missing = [key for key in known if key not in table]
        if missing:
            self.wrong(path, f"{', '.join(missing)} is missing")
        return set(table) == set(known)

    def expression(
        self, path: lines.Path, value: Any, gives: str, names: dict[str, str] | None = None
    ) -> Expression | None:
        if value is None:
            return None
        if not isinstance(value, str):
            self.wrong(path, "must be an expression in a string")
            return None
        try:
            return Expression(value, self.names if names is None else names, gives)
        except ExpressionError as error:
            self.wrong(path, str(error))
            return None

    def options(self) -> dict[str, tuple[Any, str]]:
        found: dict[str, tuple[Any, str]] = {}
        for name, table in self.tables(("options",), self.table.get("options", {})).items():
            path: lines.Path = ("options", name)
            if not name.isidentifier() or name in (*_GIVEN, *_KEYS) or hasattr(Declared, name):
                self.wrong(path, "is no name for an option")
            elif self.keys(path, self.tables(path, table), ("default", "meaning")):
                default = table["default"]
                if isinstance(default, bool) or not isinstance(default, int | float | str):
                    self.wrong((*path, "default"), "must be a number or a string")
                    # The name is there: whoever uses it is not at fault.
                    default = 0
                found[name] = (default, self.string((*path, "meaning"), table["meaning"]))
        return found

    def facts(self) -> tuple[dict[str, Expression], dict[str, str]]:
        found, meanings = {}, {}
        for name, table in self.tables(("facts",), self.table.get("facts", {})).items():
            path: lines.Path = ("facts", name)
            if self.keys(path, self.tables(path, table), ("value", "meaning")):
                meanings[name] = self.string((*path, "meaning"), table["meaning"])
                value = self.fact((*path, "value"), table["value"])
                if value is not None:
                    found[name] = value
        return found, meanings

    def fact(self, path: lines.Path, value: Any) -> Expression | None:
        """An expression of any kind that JSON holds."""
        if not isinstance(value, str):
            self.wrong(path, "must be an expression in a string")
            return None
        reasons = []
        for kind in (VERDICT, NUMBER, STRING):
            try:
                return Expression(value, self.names, kind)
            except ExpressionError as error:
                reasons.append(str(error))
        self.wrong(path, reasons[0].replace("a verdict is needed", "a verdict, number or string is needed"))
        return None

    def because(self, facts: Mapping[str, Expression]) -> tuple[tuple[Expression, str], ...]:
        found = []
        for at, table in enumerate(self.listed(("because",), self.table.get("because", []))):
            path: lines.Path = ("because", at)
            if self.keys(path, self.tables(path, table), ("event", "note")):
                event = self.expression((*path, "event"), table["event"], EVENT)
                note = self.string((*path, "note"), table["note"])
                self.filled((*path, "note"), note, facts)
                if event is not None:
                    found.append((event, note))
        return tuple(found)

    def severity_in(self) -> dict[Environment, Severity]:
        found: dict[Environment, Severity] = {}
        known = get_args(Environment)
        for name, value in self.tables(("severity_in",), self.table.get("severity_in", {})).items():
            path: lines.Path = ("severity_in", name)
            if name not in known:
                self.wrong(path, f"unknown environment; known are {', '.join(known)}")
            elif value not in SEVERITIES:
                self.wrong(path, f"is {value!r}; known are {', '.join(SEVERITIES)}")
            else:
                found[name] = value  # type: ignore[index]
        return found

    def filled(self, path: lines.Path, text: str, facts: Mapping[str, Expression]) -> None:
        known = (*_IN_TITLE, *facts, *(name for name in self.names if name not in _GIVEN))
        for name in dict.fromkeys(_FILLED.findall(text)):
            if name not in known:
                self.wrong(path, f"{{{name}}} is not known; known are {', '.join(known)}")

    # -- examples -----------------------------------------------------------------------------------

    def examples(self, slug: str) -> tuple[Example, ...]:
        found = []
        for at, table in enumerate(self.listed(("examples",), self.table.get("examples", []))):
            path: lines.Path = ("examples", at)
            if self.keys(path, self.tables(path, table), ("title", "steps")):
                title = self.string((*path, "title"), table["title"])
                found.append(Example(title, *self.steps((*path, "steps"), table["steps"], slug)))
        return tuple(found)

    def steps(self, path: lines.Path, value: Any, slug: str) -> list[Step]:
        found = []
        for at, table in enumerate(self.listed(path, value)):
            step = self.step((*path, at), self.tables((*path, at), table), slug)
            if step is not None:
                found.append(step)
        return found

    def step(self, path: lines.Path, table: dict[str, Any], slug: str) -> Step | None:
        kinds = [key for key in table if key in _STEPS]
        if len(kinds) != 1:
            self.wrong(
                path, f"a step has one of {', '.join(_STEPS)}; this one has {', '.join(kinds) or 'none'}"
            )
            return None
        kind = kinds[0]
        rest = {key: value for key, value in table.items() if key not in (kind, "flag")}
        flag = table.get("flag", False)
        if isinstance(flag, dict):
            rest.update(flag, flag=slug)
        elif flag is True:
            rest["flag"] = slug
        elif flag is not False:
            self.wrong((*path, "flag"), "must be true, or a table of what the finding must have")
        given = table[kind]
        try:
            if _STEPS[kind] == "steps":
                inner = self.steps((*path, kind), given, slug)
                return getattr(examples, kind)(*inner, **rest)  # type: ignore[no-any-return]
            if kind == "nothing":
                return examples.nothing(**rest)
            if not isinstance(given, int | float if kind == "waits" else str):
                self.wrong((*path, kind), f"must be {'a number' if kind == 'waits' else 'a string'}")
                return None
            return getattr(examples, kind)(given, **rest)  # type: ignore[no-any-return]
        except (TypeError, ValueError) as error:
            self.wrong(path, f"{kind}: {str(error).replace(f'{kind}() ', '')}")
            return None


def _made(
    text: Mapping[str, str],
    declaration: _Declaration,
    options: Mapping[str, tuple[Any, str]],
    meanings: Mapping[str, str],
    shown: tuple[Example, ...],
) -> type[Rule]:
    """The class, as if it had been written."""
    slug = text["slug"]
    documented = [text["summary"]]
    documented += [f"## {heading}\n{text[key]}" for key, heading in _PAGE.items()]
    listed = "\n".join(f"- `{name}`: {' '.join(words.split())}" for name, words in meanings.items())
    documented.append(f"## Facts\n{listed or 'None.'}")
    body: dict[str, Any] = {
        "__doc__": "\n\n".join(documented),
        "__module__": f"sessionlens_declared_rules.{slug.replace('-', '_')}",
        "slug": slug,
        "kind": text.get("kind", "fault"),
        "severity": text["severity"],
        "since": text["since"],
        "examples": shown,
        "declaration": declaration,
        "meanings": {name: meaning for name, (_, meaning) in options.items()},
        "__annotations__": {name: type(default) for name, (default, _) in options.items()},
        **{name: default for name, (default, _) in options.items()},
    }
    name = "".join(word.capitalize() for word in slug.split("-"))
    return dataclasses.dataclass(frozen=True, kw_only=True)(type(name, (Declared,), body))
