"""Options that mean the same in every command, and what they ask for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from sessionlens.config import Config
    from sessionlens.loader import Selection

_F = TypeVar("_F", bound=Callable[..., Any])

SEVERITIES = ("critical", "high", "medium", "low", "info")


def _names(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Several names, each option with one or more between commas."""
    return tuple(name.strip() for value in values for name in value.split(",") if name.strip())


def _known_reader(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    """The name of a reader, or wrong usage."""
    if value is not None:
        from sessionlens.readers import registered

        names = [name for name, _ in registered()]
        if value not in names:
            raise click.BadParameter(f"no reader is called {value}. Readers: {', '.join(names)}.")
    return value


def reading(command: _F) -> _F:
    """How to read: ``--reader``, ``--session``."""
    command = click.option("--session", metavar="ID", help="Take only this session of the source.")(command)
    return click.option(
        "--reader",
        metavar="NAME",
        callback=_known_reader,
        help="Read as this format instead of recognising it.",
    )(command)


def redacting(command: _F) -> _F:
    """``--redact/--no-redact``."""
    return click.option(
        "--redact/--no-redact",
        default=True,
        show_default=True,
        help="Replace secrets in everything that leaves.",
    )(command)


PRIVATE = ("homes", "emails", "addresses", "hosts")


def _private(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    names = _names(ctx, param, values)
    strangers = [name for name in names if name not in PRIVATE]
    if strangers:
        raise click.BadParameter(f"{', '.join(strangers)}: known are {', '.join(PRIVATE)}")
    return names


def private(command: _F) -> _F:
    """``--redact-also``."""
    return click.option(
        "--redact-also",
        multiple=True,
        callback=_private,
        metavar="KIND,…",
        help=f"Replace these too: {', '.join(PRIVATE)}. The same name gets the same stand-in everywhere.",
    )(command)


def configured(command: _F) -> _F:
    """``--config``."""
    return click.option(
        "--config",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Use this instead of the sessionlens.toml found upwards from here.",
    )(command)


def rule_folders(command: _F) -> _F:
    """``--rules``."""
    return click.option(
        "--rules",
        "folders",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Load the rules of this folder too. Their code is run.",
    )(command)


def choosing(command: _F) -> _F:
    """Which rules: ``--rules``, ``--select``, ``--ignore``, ``--config``."""
    command = configured(command)
    command = click.option(
        "--ignore", multiple=True, callback=_names, metavar="RULE,…", help="Leave these rules out."
    )(command)
    command = click.option(
        "--select", multiple=True, callback=_names, metavar="RULE,…", help="Run only these rules."
    )(command)
    return rule_folders(command)


def quiet(command: _F) -> _F:
    """``--quiet``."""
    return click.option("-q", "--quiet", is_flag=True, help="Only errors on standard error.")(command)


def configuration(file: Path | None) -> Config:
    """The configuration that applies; a broken one is wrong usage."""
    from sessionlens import config
    from sessionlens.cli.codes import Misused

    try:
        return config.load(file)
    except config.ConfigError as error:
        raise Misused(str(error)) from None


def selection(
    config: Config, folders: tuple[Path, ...], select: tuple[str, ...], ignore: tuple[str, ...]
) -> Selection:
    """The rules that the options and the configuration choose; rules that do not load are wrong usage."""
    from sessionlens import loader
    from sessionlens.cli.codes import Misused

    try:
        known = loader.classes(folders)
    except loader.LoadError as error:
        raise Misused("rules do not load:\n" + "\n".join(error.problems)) from None
    for key, names in (
        ("select", config.select),
        ("ignore", config.ignore),
        ("severity", tuple(config.severity)),
        ("rules", tuple(config.rules)),
        ("suppress", tuple(one.rule for one in config.suppress if one.rule is not None)),
    ):
        strangers = [name for name in names if name not in known]
        if strangers:
            raise Misused(
                f"{config.file}: {key}: {loader.no_rule(strangers, known)} "
                "(a rule of your own needs its folder: --rules DIR)"
            )
    try:
        return loader.select(
            known, only=select or config.select, ignore=(*ignore, *config.ignore), options=config.rules
        )
    except loader.UnknownRule as error:
        raise Misused(str(error)) from None
    except loader.OptionError as error:
        raise Misused(f"{config.file}: rules.{error.rule}.{error.option}: {error.reason}") from None
