"""``sessionlens.toml``: what a team says about its environments and its rules.

    select = ["unverified-production-edit"]     # only these rules; all when left out
    ignore = []                                 # rules not to run
    profile = "default"                         # or strict, quiet: what is reported, what fails

    [severity]
    unverified-production-edit = "high"         # for every finding of the rule

    [rules.unverified-production-edit]          # options of a rule, as its page lists them

    [[suppress]]                                # findings that do not count; the reason is mandatory
    rule = "left-running"                       # a rule, a fingerprint, or both; session and message narrow it
    session = "ses_…"
    reason = "the dev server stays up on purpose"

    [environments]                              # which hosts, paths, contexts … belong to which environment

What stands under no heading stands before the first one. The file only holds data: it can name no folder of rules, so a checkout of somebody else's project runs no code.
Unknown keys and wrong values are errors that name file and key.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from sessionlens.findings import SEVERITIES, ProfileName, Severity, Suppression
from sessionlens.targets import EnvironmentSettings

NAME = "sessionlens.toml"
"""Name of the file that is looked for."""
LARGEST = 1_000_000
"""Bytes; a larger file is refused before it is parsed."""

_T = TypeVar("_T")


class ConfigError(Exception):
    """A configuration that cannot be used; names the file, the key and the reason."""

    def __init__(self, file: str, key: str, reason: str) -> None:
        """Say where and why."""
        super().__init__(": ".join(part for part in (file, key, reason) if part))
        self.file, self.key, self.reason = file, key, reason


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """What the file says; without one, the defaults."""

    file: str = ""
    """The file, as it was named or relative to the current folder; empty without one."""
    select: tuple[str, ...] = ()
    """Slugs of the rules to run; all when empty."""
    ignore: tuple[str, ...] = ()
    """Slugs of rules not to run."""
    severity: dict[str, Severity] = {}
    """Severity by slug, for every finding of that rule."""
    rules: dict[str, dict[str, Any]] = {}
    """Options by slug."""
    suppress: tuple[Suppression, ...] = ()
    """Findings that do not count, each with its reason."""
    profile: ProfileName = "default"
    """What is reported, and what fails by default: strict, default or quiet."""
    environments: EnvironmentSettings = EnvironmentSettings()
    """Names of hosts, paths, contexts and the like by environment."""


_KEYS = ("select", "ignore", "severity", "rules", "suppress", "profile", "environments")


def find(start: Path) -> Path | None:
    """The nearest ``sessionlens.toml`` in a folder or one above it."""
    for folder in (start, *start.parents):
        if (folder / NAME).is_file():
            return folder / NAME
    return None


def load(file: Path | None = None, *, start: Path | None = None) -> Config:
    """Read the configuration: this file, else the one found upwards from ``start``, else the defaults.

    :param start: folder to look from; the current one where nothing is said.
    :raises ConfigError: with file and key.
    """
    if file is None:
        file = find(start or Path.cwd())
        if file is None:
            return Config()
        shown = Path(os.path.relpath(file)).as_posix()
    else:
        shown = file.as_posix()
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ConfigError(shown, "", f"cannot be read: {error.strerror}") from None
    if len(data) > LARGEST:
        raise ConfigError(shown, "", f"is larger than {LARGEST} bytes")
    return parse(data, shown)


def parse(data: bytes, shown: str = NAME) -> Config:
    """The configuration in these bytes of TOML; ``shown`` is the file's name for errors."""
    # Most runs have no configuration to parse.
    import tomllib

    try:
        table = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ConfigError(shown, "", f"is not UTF-8 at byte {error.start}") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(shown, "", f"is no TOML: {error}") from None
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _KEYS:
            raise ConfigError(shown, key, f"unknown key; there are {', '.join(_KEYS)}")
        hint = get_type_hints(Config)[key]
        values[key] = _converted(value, hint, key, shown)
    return Config(file=shown, **values)


def _converted(value: Any, hint: Any, key: str, shown: str) -> Any:
    """A value as the type that the key wants. Tables are taken apart, so that an error names the very key."""
    if get_origin(hint) is dict and isinstance(value, dict):
        inner = get_args(hint)[1]
        return {name: _converted(item, inner, f"{key}.{name}", shown) for name, item in value.items()}
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct) and isinstance(value, dict):
        names = {field.encode_name: field for field in msgspec.structs.fields(hint)}
        ready = {}
        for name, item in value.items():
            if name not in names:
                raise ConfigError(shown, f"{key}.{name}", f"unknown key; there are {', '.join(names)}")
            ready[names[name].name] = _converted(item, names[name].type, f"{key}.{name}", shown)
        return _made(hint, ready, key, shown)
    if hint == Severity and value not in SEVERITIES:
        raise ConfigError(shown, key, f"is {value!r}; known are {', '.join(SEVERITIES)}")
    try:
        return msgspec.convert(value, hint)
    except msgspec.ValidationError as error:
        raise ConfigError(shown, key, str(error)) from None


def _made(hint: type[_T], values: dict[str, Any], key: str, shown: str) -> _T:
    """A struct of values that fit; what it refuses itself (a broken pattern) names its table."""
    try:
        return hint(**values)
    except (TypeError, ValueError) as error:
        raise ConfigError(shown, key, str(error)) from None
