"""What a command line really runs, what that does, and to what (CONTRACT §6)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from sessionlens.cache import lazy
from sessionlens.shell.command import Command, RunsIf
from sessionlens.targets import EnvironmentSettings, environment

if TYPE_CHECKING:
    from sessionlens.shell.unwrap import Leaf

__all__ = ["Command", "command_line", "explain", "read", "read_call"]

_DEFAULT = EnvironmentSettings()

_POWERSHELL = lazy(
    r"^\s*(?:&\s*\{?\s*)?(?:\$(?:env:|ErrorActionPreference)|\$\w+\s*=\s|(?:\w+\s*=\s*)?(?:Get|Set|New|Remove|Start|Stop|Restart|Invoke|Test|"
    r"Import|Export|Write|Select|Where|ForEach|Add|Copy|Move|Out|Install|Enable|Disable|Wait|Clear|Resolve|Join|Split|ConvertTo|"
    r"ConvertFrom|Measure|Update|Expand|Compress|Format|Sort|Register|Suspend|Resume|Enter|Exit|Find|Save|Send|Show|Push|Pop|Rename)-[A-Z]\w+\b"
    r"|foreach\s*\(\s*\$\w+\s+in\s|\((?:Get|Test|Invoke)-[A-Z]\w+\s"
    r"|(?:@?\(\s*)?(?:(?:\"[\w.-]+\"|'[\w.-]+')\s*,?\s*){1,50}\)?\s*\|\s*(?:%|ForEach-Object|foreach)\s*\{|\$\w+\s*\|\s*(?:%|ForEach-Object|foreach)\s*\{|\(?\d+\.\.\d+\)?\s*\|\s*(?:%|ForEach-Object|foreach)\s*\{)"
)
_CMD = lazy(
    r"^\s*(?:(?:net|sc(?:\.exe)?)\s+(?:start|stop|query|config|create|delete)\s|taskkill\s+/|tasklist\b|(?:dir|copy|xcopy|del|erase|type|findstr|robocopy|rmdir|rd|move|attrib)\s+(?:/[A-Za-z]|[A-Za-z]:\\)"
    r"|set\s+\w+=[^&]*&&|if\s+(?:not\s+)?exist\s|[A-Za-z]:\\[^\s]*\.(?:exe|bat|cmd)|cd\s+/d\s|ipconfig\s*(?:/|$)|iisreset\b|shutdown(?:\.exe)?\s+(?:/[a-z?]|[^\n]{0,80}-m\s+\\)|(?:winrs|psexec(?:64)?)(?:\.exe)?\s+(?:[-/]r|\\\\)|appcmd(?:\.exe)?\s|netsh(?:\.exe)?\s+-r\s|schtasks\s+/|reg\s+(?:add|query|delete)\s)",
    re.IGNORECASE,
)


def read(
    line: str,
    *,
    settings: EnvironmentSettings = _DEFAULT,
    directory: str | None = None,
    files: tuple[tuple[str, str], ...] = (),
) -> tuple[Command, ...]:
    """The commands of one shell line that would really run, in order.

    ``directory`` is the session's working folder: relative files are in it; ``files`` are paths as
    :func:`~sessionlens.shell.parse.file_key` writes them with texts that the session shows. Never fails; a broken line gives its
    sound part, marked ``partly_parsed``. Repeated lines come from a cache.
    """
    return _read(line, settings, directory, files)


@lru_cache(maxsize=20_000)
def _read(
    line: str,
    settings: EnvironmentSettings,
    directory: str | None,
    files: tuple[tuple[str, str], ...],
) -> tuple[Command, ...]:
    declined = _declined(line)
    if declined is not None:
        return _windows(line, None, (), settings, directory, files) or (declined,)
    from sessionlens.shell import effects
    from sessionlens.shell.parse import Scope, parse
    from sessionlens.shell.unwrap import hosts_of, unwrap

    scope = Scope()
    scope.cwd = directory
    scope.files.update(files)
    leaves, partly = unwrap(parse(line, scope))
    _pipes(leaves)
    commands: list[Command] = []
    for leaf in leaves:
        reading = effects.read_leaf(leaf)
        made = effects.command(leaf, reading, partly=partly)
        if leaf.words[:1] == ["ansible"] and "," in (made.target.host or ""):
            # A module runs on each host of the list, as a wrapped command does.
            commands.extend(
                _placed(
                    msgspec.structs.replace(made, target=msgspec.structs.replace(made.target, host=host)),
                    leaf,
                    leaf.via,
                    settings,
                    directory,
                )
                for host in hosts_of(made.target.host or "")
            )
            continue
        via = leaf.via if reading.around < 0 else leaf.via[: reading.around]
        placed = _placed(made, leaf, via, settings, directory, live=reading.live)
        if leaf.words and _OF_WINDOWS.match(leaf.words[0]) is not None:
            # On the far side of ssh too.
            read_there = _windows(
                " ".join(map(_as_word, leaf.words)), leaf.host, leaf.via, settings, directory
            )
            if read_there:
                commands.extend(read_there)
                continue
        if placed.effect == "none" and (why := _foreign(" ".join(placed.words[:3]))):
            # On the far side of ssh too: what a shell of Windows would do is not read, and said so.
            placed = msgspec.structs.replace(placed, confidence="low", note=why)
        if reading.own_machine and leaf.host is None and placed.environment_confidence == "low":
            # Nothing names a place where the confidence is low.
            placed = msgspec.structs.replace(
                placed,
                environment="local",
                environment_reason="a machine inside the own machine",
                environment_confidence="medium",
            )
        commands.append(placed)
    return tuple(commands)


def _pipes(leaves: list[Leaf]) -> None:
    """Tell a command what the filter after it in the pipe looks for."""
    from sessionlens.shell.effects import sought_name

    for index, leaf in enumerate(leaves[:-1]):
        if not leaf.feeds:
            continue
        for following in leaves[index + 1 : index + 6]:
            if following.fed_by is None:
                break
            leaf.sought = sought_name(following.words)
            if leaf.sought or not following.feeds:
                break


def _placed(
    command: Command,
    leaf: Leaf,
    via: tuple[str, ...],
    settings: EnvironmentSettings,
    directory: str | None,
    *,
    live: bool = False,
) -> Command:
    """The command with the environment of its target; ``via`` are the wrappers around that."""
    from sessionlens.shell.unwrap import join_path

    target = command.target
    folder = leaf.scope.cwd
    if (
        target.kind == "file"
        and folder
        and folder != directory
        and target.name[:1] not in {"", "/", "~", "$"}
    ):
        # `cd /etc/nginx && sed -i … nginx.conf`: the folder tells where the file is.
        target = msgspec.structs.replace(target, name=join_path(folder, target.name))
    where, reason, confidence = environment(
        msgspec.structs.replace(target, name="") if target.name.startswith("/dev/") else target,
        via=via,
        words=(
            *((f"PWD={folder}",) if folder and folder != directory else ()),
            *(
                f"{name}={value}"
                for name, value in (*leaf.scope.env.items(), *leaf.assigns)
                if name.isidentifier() and not name.startswith("__")
            ),
            *_places_named(command),
            *(("--prod",) if live else ()),
        ),
        effect=command.effect,
        directory=directory,
        settings=settings,
    )
    return msgspec.structs.replace(
        command,
        environment=where,
        environment_reason=reason,
        environment_confidence=confidence,
        folder=folder if folder != directory else None,
    )


_INTERFACE_TOOLS = frozenset({"ip", "tc", "bridge", "iw", "ethtool", "arping", "route", "nmcli"})


_SYSTEM_SERVICES = frozenset({"journalctl", "rcctl", "svcadm"})
"""Programs that drive or show the services of the machine as ``service`` does."""


def _places_named(command: Command) -> tuple[str, ...]:
    """The words that may name an environment: devices (``dev eth0``, ``/dev/sdb1``) name none, a script's name may."""
    words = command.words
    if command.script and command.target.kind == "unknown":
        return (*words, command.target.name.replace(":", "/"))
    first = words[0] if words else ""
    if first.startswith("/etc/init.d/") or first in _SYSTEM_SERVICES:
        words = ("service", *words[1:])
    if words[1:2] in (("test",), ("ci",)):
        # `nixos-rebuild test`, `helm test`, `glab ci run`: a sub-command, no place.
        words = (words[0], *words[2:])
    if "dev" in words and words[0].rsplit("/", 1)[-1] in _INTERFACE_TOOLS:
        words = tuple(word for word in words if word != "dev")
    if any("/dev/" in word for word in words[1:]):
        words = (*words[:1], *(w for w in words[1:] if not w.startswith(("/dev/", "if=/dev/", "of=/dev/"))))
    return words


_IS_POWERSHELL = "PowerShell: recognised, not read"
_IS_CMD = "Windows command prompt: recognised, not read"


def _foreign(text: str) -> str:
    """Why a command is none of a POSIX shell's; empty when it is."""
    if re.match(r"(?:\S*[/\\])?(?:powershell|pwsh)(?:\.exe)?\b", text, re.IGNORECASE):
        return _IS_POWERSHELL
    if re.match(r"(?:\S*[/\\])?cmd(?:\.exe)?\s+/\S", text, re.IGNORECASE):
        return _IS_CMD
    return ""


_OF_WINDOWS = lazy(
    r"(?:\S*[/\\])?(?:powershell|pwsh|cmd|net|sc|iisreset|shutdown|reg|appcmd|netsh|winrs|psexec(?:64)?)(?:\.exe)?$|(?:(?:Re)?start|Stop|Get|Set)-(?:Service|Computer|WebAppPool|Website)$|(?:Get|Set|New|Remove)-ItemProperty(?:Value)?$|Remove-(?:Item|Partition|VM)$|Format-Volume$|Clear-Disk$|Invoke-Command$|icm$|Enter-PSSession$|etsn$|(?:Get|Set|New|Add|Remove|Enable|Disable|Clear|Import|Install|Uninstall|Test)-(?:Web|IIS|Net|Dns|Dhcp|Smb|Windows|Scheduled|AD|GP|Local|Mp)\w{1,40}$",
    re.IGNORECASE,
)


def _as_word(word: str) -> str:
    """A word with its quotes, where a space would part it; a line within a line stays one."""
    return f'"{word}"' if re.search(r"[\s;|&]", word) and '"' not in word else word


def _windows(  # noqa: PLR0917
    line: str,
    host: str | None,
    via: tuple[str, ...],
    settings: EnvironmentSettings,
    directory: str | None,
    files: tuple[tuple[str, str], ...] = (),
) -> tuple[Command, ...]:
    """What a line of PowerShell or of the command prompt does to services and settings, and deletes; empty where that is nothing."""
    from sessionlens.shell.effects import LONG
    from sessionlens.shell.windows import acts

    runs: dict[str, RunsIf] = {"&&": "after_success", "||": "after_failure"}
    commands: list[Command] = []
    for act in acts(line, host, dict(files)):
        where, reason, sure = environment(
            act.target,
            via=(*via, *act.via),
            words=act.words,
            effect=act.effect,
            directory=directory,
            settings=settings,
        )
        commands.append(
            Command(
                words=act.words,
                via=(*via, *act.via),
                runs_if=runs.get(act.after, "always"),
                effect=act.effect,
                check_strength=act.strength,
                detached=act.detached,
                long_running=act.effect in LONG,
                target=act.target,
                also=act.also,
                each=act.each,
                environment=where,
                environment_reason=reason,
                environment_confidence=sure,
                confidence="medium" if act.effect != "none" else "low",
                restarts_in_effect=act.effect in ("start", "restart", "stop", "reboot"),
                span=(0, len(line)) if host is None else (0, 0),
                note="of Windows only services, reboots, deletions, the registry, and settings and looks of other machines are read",
            )
        )
    return tuple(commands)


def _declined(line: str) -> Command | None:
    """PowerShell and cmd lines are recognised and not read further."""
    text = line.strip()
    note = _foreign(text)
    if _POWERSHELL.match(text):
        note = _IS_POWERSHELL
    elif not note and _CMD.match(text):
        note = _IS_CMD
    if not note:
        return None
    return Command(words=tuple(text.split()[:200]), confidence="low", note=note, span=(0, len(line)))


def explain(command: Command) -> dict[str, Any]:
    """One command as ``sessionlens explain command`` prints it, with exactly the keys of CONTRACT §6."""
    target = command.target
    return {
        "words": list(command.words),
        "via": list(command.via),
        "runs_if": command.runs_if,
        "effect": command.effect,
        "check_strength": command.check_strength,
        "dry_run": command.dry_run,
        "detached": command.detached,
        "long_running": command.long_running,
        "target": {
            "kind": target.kind,
            "name": target.name,
            "host": target.host,
            "context": target.context,
            "namespace": target.namespace,
        },
        "environment": command.environment,
        "confidence": command.confidence,
        "partly_parsed": command.partly_parsed,
    }


def read_call(
    tool: str,
    arguments: dict[str, Any],
    *,
    settings: EnvironmentSettings = _DEFAULT,
    directory: str | None = None,
    files: tuple[tuple[str, str], ...] = (),
) -> tuple[Command, ...]:
    """What a tool call of a client does: its shell command, or the files its edit, write, patch and read tools touch."""
    from sessionlens.shell import tools

    return tools.read_call(tool, arguments, settings=settings, directory=directory, files=files)


def command_line(tool: str, arguments: dict[str, Any]) -> str | None:
    """The command line of a call, where the tool is a shell tool."""
    from sessionlens.shell import tools

    return tools.command_line(tool, arguments)
