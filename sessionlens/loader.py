"""Finds rules and makes them ready: the shipped ones, a folder of the user's, and installed packages'.

All come through the same door and must fulfil the same contract. A rule that does not load is an error
that names its file and the reason; it is never left out in silence.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import importlib.util
import inspect
import pkgutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_type_hints

import msgspec

from sessionlens import plugins
from sessionlens.cache import lazy
from sessionlens.findings import SEVERITIES, FindingKind
from sessionlens.rule import HEADINGS, FollowUp, Rule, page
from sessionlens.wording import did_you_mean

ENTRY_POINTS = "sessionlens.rules"
"""Group under which an installed package names its rule modules, rule packages or rule classes."""

SUFFIX = ".rule.toml"
"""How the name of a declarative rule file ends; ``sessionlens.declared`` reads them."""

_SLUG = lazy(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


class LoadError(Exception):
    """Rules that could not be made ready. One line a problem, each with its file."""

    def __init__(self, problems: Sequence[str]) -> None:
        """Keep the problems; the text of the error is all of them."""
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


class UnknownRule(Exception):
    """A name that no rule has."""

    def __init__(self, names: Sequence[str], known: Iterable[str]) -> None:
        """Say which names, and which there are."""
        super().__init__(no_rule(names, known))


def no_rule(names: Sequence[str], known: Iterable[str]) -> str:
    """What to say of names that no rule has: the nearest that there is, for want of one all that there are."""
    there = sorted(known)
    near = {name: did_you_mean(name, there) for name in names}
    if names and all(near.values()):
        return "; ".join(f"no rule is called {name}{words}" for name, words in near.items())
    return f"no rule is called {', '.join(names)}; there are {', '.join(there)}"


def classes(folders: Sequence[Path] = ()) -> dict[str, type[Rule]]:
    """Every rule class by slug, in order of slugs: shipped, from entry points, and from ``folders``.

    :param folders: folders with a rule a file, ``*.py`` or ``*.rule.toml``; files whose names begin with an
        underscore are helpers.
    :raises LoadError: with every problem found, not only the first.
    """
    problems: list[str] = []
    found: dict[str, tuple[type[Rule], str]] = {}
    doors = [_shipped(), _installed()]
    doors += [_folder(folder) for folder in folders]
    for door in doors:
        for shown, load in door:
            try:
                rule = load()
                check_contract(rule, shown)
            except LoadError as error:
                problems += error.problems
                continue
            if rule.slug in found:
                problems.append(f"{shown}: {found[rule.slug][1]} already has a rule {rule.slug}")
            found.setdefault(rule.slug, (rule, shown))
    for rule, shown in found.values():
        problems += [
            f"{shown}: follows up on {slug}, which is no rule" for slug in rule.after if slug not in found
        ]
    if problems:
        raise LoadError(problems)
    return {slug: found[slug][0] for slug in sorted(found)}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Selection:
    """Rules to run, and which of them only serve others."""

    rules: tuple[Rule, ...]
    """By slug."""
    unreported: frozenset[str]
    """Rules that nobody asked for; they run because a chosen one follows up on them."""


def select(
    known: Mapping[str, type[Rule]],
    *,
    only: Sequence[str] = (),
    ignore: Sequence[str] = (),
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> Selection:
    """Choose rules and give them their options.

    :param only: slugs to run; all when empty.
    :param ignore: slugs not to run.
    :param options: values for the fields of rules, by slug.
    :raises UnknownRule: for a slug that no rule has.
    :raises OptionError: for an option that a rule does not have, or a value it does not take.
    """
    unknown = [slug for slug in (*only, *ignore, *(options or {})) if slug not in known]
    if unknown:
        raise UnknownRule(unknown, known)
    asked = [slug for slug in known if (not only or slug in only) and slug not in ignore]
    needed = list(asked)
    for slug in needed:
        needed += [before for before in known[slug].after if before not in needed]
    rules = [with_options(known[slug], (options or {}).get(slug, {})) for slug in sorted(needed)]
    return Selection(rules=tuple(rules), unreported=frozenset(needed) - frozenset(asked))


class OptionError(Exception):
    """A rule does not have this option, or not with this value."""

    def __init__(self, rule: str, option: str, reason: str) -> None:
        """Keep rule and option, so that a caller can name the key in its own file."""
        super().__init__(f"{rule}.{option}: {reason}")
        self.rule, self.option, self.reason = rule, option, reason


def with_options(rule: type[Rule], values: Mapping[str, Any]) -> Rule:
    """The rule with these options; every other option keeps its default.

    :raises OptionError: for an unknown name or a value of the wrong type.
    """
    fields = [field.name for field in dataclasses.fields(rule)]
    # Working types out of their names takes a third of a millisecond a rule.
    hints = get_type_hints(rule) if values else {}
    ready = {}
    for name, value in values.items():
        if name not in fields:
            there = f"its options are {', '.join(fields)}" if fields else "it has no options"
            raise OptionError(rule.slug, name, f"unknown option; {there}")
        try:
            ready[name] = msgspec.convert(value, hints[name])
        except msgspec.ValidationError as error:
            raise OptionError(rule.slug, name, str(error)) from None
    return rule(**ready)


def _shipped() -> Iterator[tuple[str, Any]]:
    try:
        package = importlib.import_module("sessionlens.rules")
    except ModuleNotFoundError:
        raise LoadError(
            ["sessionlens.rules: not found; in a checkout, install it first with: pip install -e ."]
        ) from None
    yield from _package(package, "rules/")


def _package(package: ModuleType, prefix: str) -> Iterator[tuple[str, Any]]:
    """The rule modules of a package, by name."""
    for name in sorted(module.name for module in pkgutil.iter_modules(package.__path__)):
        if not name.startswith("_"):
            yield f"{prefix}{name}.py", _importing(f"{package.__name__}.{name}", f"{prefix}{name}.py")


def _importing(name: str, shown: str) -> Any:
    def load() -> type[Rule]:
        return _rule_of(_attempt(lambda: importlib.import_module(name), shown), shown)

    return load


def _installed() -> Iterator[tuple[str, Any]]:
    for point in sorted(plugins.points(ENTRY_POINTS), key=lambda point: (point.name, point.value)):
        shown = f"{point.value} (entry point {point.name})"
        try:
            thing = _attempt(point.load, shown)
        except LoadError as error:
            yield shown, _raising(error)
            continue
        if isinstance(thing, ModuleType) and hasattr(thing, "__path__"):
            yield from _package(thing, f"{thing.__name__}/")
        elif isinstance(thing, ModuleType):
            yield shown, lambda thing=thing, shown=shown: _rule_of(thing, shown)
        else:
            yield shown, lambda thing=thing, shown=shown: _as_rule(thing, shown)


def _raising(error: LoadError) -> Any:
    def load() -> type[Rule]:
        raise error

    return load


def _folder(folder: Path) -> Iterator[tuple[str, Any]]:
    """The rule files of a folder, by name."""
    shown = folder.as_posix()
    if not folder.is_dir():
        yield shown, _raising(LoadError([f"{shown}: no folder; --rules takes a folder with a rule a file"]))
        return
    files = sorted(
        file
        for pattern in ("*.py", f"*{SUFFIX}")
        for file in folder.glob(pattern)
        if not file.name.startswith("_")
    )
    if not files:
        yield shown, _raising(LoadError([f"{shown}: holds no rule file (*.py or *{SUFFIX})"]))
    for file in files:
        if file.name.endswith(SUFFIX):
            yield file.as_posix(), lambda file=file: _declared(file)
        else:
            yield file.as_posix(), lambda file=file: _rule_of(_from_file(file), file.as_posix())


def _declared(file: Path) -> type[Rule]:
    from sessionlens.declared.rules import DeclarationError, load

    try:
        return load(file, file.as_posix())
    except DeclarationError as error:
        raise LoadError(error.problems) from None


def _from_file(file: Path) -> ModuleType:
    """Import one file under a name that no other file can have."""
    mark = hashlib.sha256(str(file.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    name = f"sessionlens_user_rules_{mark}.{file.stem}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise LoadError([f"{file.as_posix()}: Python cannot import it"])
    module = importlib.util.module_from_spec(spec)
    loader = spec.loader
    # Dataclasses look their own module up while they are made.
    sys.modules[name] = module
    try:
        _attempt(lambda: loader.exec_module(module), file.as_posix())
    except LoadError:
        del sys.modules[name]
        raise
    return module


def _attempt(what: Any, shown: str) -> Any:
    """Run an import; whatever a rule file raises becomes a load error with file, line and reason."""
    try:
        return what()
    except SyntaxError as error:
        raise LoadError([f"{shown}:{error.lineno or 1}: syntax error: {error.msg}"]) from error
    except (Exception, SystemExit) as error:
        line = _line_in(error, Path(shown).name)
        where = f"{shown}:{line}" if line else shown
        raise LoadError([f"{where}: {type(error).__name__}: {error}"]) from error


def _line_in(error: BaseException, name: str) -> int | None:
    found = None
    step = error.__traceback__
    while step is not None:
        if Path(step.tb_frame.f_code.co_filename).name == name:
            found = step.tb_lineno
        step = step.tb_next
    return found


def _rule_of(module: ModuleType, shown: str) -> type[Rule]:
    """The one rule that a module defines itself."""
    own = [
        value
        for value in vars(module).values()
        if inspect.isclass(value) and issubclass(value, Rule) and value.__module__ == module.__name__
    ]
    if len(own) != 1:
        many = ", ".join(rule.__name__ for rule in own) or "none"
        raise LoadError([f"{shown}: a rule file defines one rule; this one defines {many}"])
    stem = module.__name__.rpartition(".")[2]
    slug = getattr(own[0], "slug", None)
    if slug != stem.replace("_", "-"):
        raise LoadError(
            [f"{shown}: slug is {slug!r}, expected {stem.replace('_', '-')!r} after the file's name"]
        )
    return own[0]


def _as_rule(thing: object, shown: str) -> type[Rule]:
    if inspect.isclass(thing) and issubclass(thing, Rule):
        return thing
    raise LoadError([f"{shown}: is neither a module nor a rule class"])


def check_contract(rule: type[Rule], shown: str) -> None:
    """Hold a rule to what every rule promises.

    :param shown: its file, for the error.
    :raises LoadError: with everything that is missing.
    """
    problems = [f"{shown}: {problem}" for problem in _missing(rule)]
    if problems:
        raise LoadError(problems)


def _missing(rule: type[Rule]) -> Iterator[str]:
    slug = getattr(rule, "slug", None)
    if not isinstance(slug, str) or not _SLUG.fullmatch(slug):
        yield f"slug {slug!r} is not lower-case words with hyphens"
    if rule.kind not in get_args(FindingKind):
        yield f"kind is {rule.kind!r}; known are {', '.join(get_args(FindingKind))}"
    if getattr(rule, "severity", None) not in SEVERITIES:
        yield f"severity is {getattr(rule, 'severity', None)!r}; known are {', '.join(SEVERITIES)}"
    if not getattr(rule, "since", ""):
        yield "since is missing: the version that first had it"
    if "__dataclass_fields__" not in vars(rule) or not vars(rule)["__dataclass_params__"].frozen:
        yield "the class is no frozen dataclass; write @dataclass(frozen=True, kw_only=True) above it"
    else:
        for field in dataclasses.fields(rule):
            if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
                yield f"option {field.name} has no default"
    method = "check_after" if issubclass(rule, FollowUp) else "check"
    if getattr(rule, method) is getattr(FollowUp if issubclass(rule, FollowUp) else Rule, method):
        yield f"it has no {method} method"
    if rule.after and not issubclass(rule, FollowUp):
        yield "only a FollowUp has after = (…)"
    if issubclass(rule, FollowUp) and not rule.after:
        yield "a FollowUp says after = (…) which rules"
    yield from _undocumented(rule)
    flagged = [bool(example.flags(slug)) for example in rule.examples]
    if not any(flagged):
        yield "no example is flagged"
    if all(flagged):
        yield "no example is clean"
    titles = [example.title for example in rule.examples]
    yield from (
        f"two examples are called {title!r}" for title in dict.fromkeys(titles) if titles.count(title) > 1
    )


def _undocumented(rule: type[Rule]) -> Iterator[str]:
    # Without a docstring of its own, a dataclass gets one made of its signature.
    if not rule.__doc__ or rule.__doc__.startswith(f"{rule.__name__}("):
        yield "it has no docstring"
        return
    documented = page(rule)
    for heading in HEADINGS:
        if not documented.sections.get(heading, "").strip():
            yield f"the docstring has nothing under the heading '## {heading}'"
