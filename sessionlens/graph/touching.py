"""Ways by which a command changes a named file without being an edit of it.

``git checkout -- F`` and ``git restore F`` put another content there, ``chmod`` changes its mode, ``git stash`` and
``git reset --hard`` take uncommitted changes out of it, a formatter rewrites it, an installer its lock file. Only what
the log shows counts: the command names the file or a folder it lies in, or an output lists it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from sessionlens.cache import lazy
from sessionlens.graph.events import Called, Ran
from sessionlens.graph.file_changes import plain
from sessionlens.graph.path_words import resolved, within

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

_READ = 20_000
"""Characters at the ends of an output that are read."""
_MOST = 2_000
"""Paths of a status that are kept."""
_MODES = frozenset({"chmod", "chown", "chgrp", "setfacl", "chattr", "setfattr", "xattr", "touch"})
_ONTO = frozenset({"cp", "mv", "install", "rsync", "scp", "ln"})
_GIT_NAMES = frozenset({"checkout", "restore", "rm", "mv", "stash"})
_FORMATTERS = frozenset(
    {
        "black", "ruff", "isort", "prettier", "gofmt", "goimports", "terraform", "tofu", "dart", "rustfmt", "rubocop", "pre-commit",
        "make", "npm", "pnpm", "yarn", "bun", "just", "tox", "nox", "eslint", "standard", "biome", "dprint", "mix", "spotless",
    }
)  # fmt: skip
"""Programs that may rewrite files they are not given by name, and say which."""
_LOOKS = frozenset(
    {"--check", "--diff", "-d", "--dry-run", "--list-different", "-check", "--test", "--output=none"}
)
_LISTED = lazy(r"^(?:gofmt|goimports|terraform|tofu|rustfmt)$")
"""Formatters that list what they rewrote as bare paths."""
_REWROTE = lazy(
    r"^[ \t]{0,8}(?:reformatted|fixing|formatted|changed|fixed|rewrote|rewriting|formatting)[ \t:]{1,4}(?P<said>\S.{0,300}?)\s*$|^[ \t]{0,8}(?P<timed>\S{1,300}) \d+ ?ms\s*$",
    re.IGNORECASE | re.MULTILINE,
)
_BARE = lazy(r"^(?P<bare>[^\s:]{1,300})\s*$", re.MULTILINE)
_STATUS = lazy(
    r"^[ \t]{0,8}(?:[ MARC]{1,2}[ \t]|(?:modified|new file):[ \t]+)(?P<path>[^\s|][^|\n]{0,300}?)\s*(?:\|.*)?$|^ (?P<stat>\S[^|\n]{0,200}?)[ \t]+\|[ \t]+(?:\d+ |Bin )",
    re.MULTILINE,
)
"""Changed files in the output of ``git status`` or ``git diff --stat``."""
_INSTALLERS: dict[str, tuple[str, ...]] = {
    "npm": ("package-lock.json", "npm-shrinkwrap.json", "package.json"), "npx": ("package-lock.json", "package.json"),
    "yarn": ("yarn.lock", "package.json"), "pnpm": ("pnpm-lock.yaml", "package.json"), "bun": ("bun.lock", "bun.lockb", "package.json"),
    "cargo": ("Cargo.lock", "Cargo.toml"), "poetry": ("poetry.lock", "pyproject.toml"), "uv": ("uv.lock", "pyproject.toml"),
    "pipenv": ("Pipfile.lock", "Pipfile"), "pdm": ("pdm.lock", "pyproject.toml"), "pip-compile": ("requirements.txt",),
    "bundle": ("Gemfile.lock", "Gemfile"), "composer": ("composer.lock", "composer.json"), "go": ("go.sum", "go.mod"),
    "mix": ("mix.lock",), "pod": ("Podfile.lock",), "terraform": (".terraform.lock.hcl",), "tofu": (".terraform.lock.hcl",),
    "nix": ("flake.lock",), "deno": ("deno.lock",), "flutter": ("pubspec.lock",), "dart": ("pubspec.lock",),
}  # fmt: skip
"""Installers, and the files that they write by themselves."""


def covers(path: str, named: str, directory: str | None) -> bool:
    """Whether what is done to ``path`` is done to a named file: the same, a folder it lies in, or a pattern for it."""
    path, named = plain(path), plain(named)
    if path in (".", "", "*", ":/"):
        return False
    if directory is not None and path.startswith(f"{directory}/"):
        path = path[len(directory) + 1 :]
    if "*" in path:
        return fnmatchcase(named, path)
    return within(path, named) or (
        not path.startswith("/") and within(named, path) and named.startswith(f"{path}/")
    )


class Covered:
    """What the log shows of files that commands change on the way."""

    def __init__(self, graph: SessionGraph) -> None:
        self._graph = graph
        self._dirty: dict[str, frozenset[str]] = {}
        """Changed files of the last status, by session."""
        self._installed: dict[str, list[Ran]] = {}
        """Installers since the last status, by session."""
        self._said: tuple[int, tuple[str, ...]] = (-1, ())
        """The command whose output was read last for what it rewrote, and what it says: asked once an instruction."""

    def named(self, ran: Ran) -> Iterator[str]:
        """Files and folders that a command names and changes, as seen from the session's folder."""
        words, program = ran.command.words, ran.command.program
        if not ran.change or ran.command.target.host is not None:
            return
        rest = [word for word in words[1:60] if not word.startswith("-")]
        if program == "git":
            found = by_git(words)
        elif program in _MODES:
            found = rest if program == "touch" else rest[1:]
        elif program in _ONTO and len(rest) > 1:
            last = rest[-1]
            onto = [last] if "." in posixpath.basename(last) else []
            found = [
                *onto,
                *(f"{last.rstrip('/')}/{posixpath.basename(one.rstrip('/'))}" for one in rest[:-1]),
            ]
            found += rest[:-1] if program == "mv" else []
        elif program in ("ed", "ex", "vim", "vi", "nano", "emacs"):
            found = rest[-1:]
        elif ran.command.effect == "delete":
            found = rest
        else:
            return
        for path in found:
            yield resolved(path, ran.command.folder, self._graph.session.directory)

    def rewritten(self, called: Called, ran: Ran) -> tuple[str, ...]:
        """Files that a formatter says it rewrote."""
        if self._said[0] != ran.seq:
            self._said = (ran.seq, tuple(self._rewritten(called, ran)))
        return self._said[1]

    def _rewritten(self, called: Called, ran: Ran) -> Iterator[str]:
        program = ran.command.program
        if program not in _FORMATTERS or called.call.output is None or _LOOKS & set(ran.command.words):
            return
        output = called.call.output.ends()[:_READ]
        for found in _REWROTE.finditer(output):
            yield found["said"] or found["timed"]
        writes = "-w" in ran.command.words or "fmt" in ran.command.words[1:3] or program == "rustfmt"
        if writes and _LISTED.match(program):
            for bare in _BARE.finditer(output):
                yield bare["bare"]

    def taken_out(self, called: Called, ran: Ran) -> frozenset[str]:
        """Files whose uncommitted changes a command without names takes out: stash, hard reset, checkout of all."""
        words = ran.command.words
        if words[:1] != ("git",) or len(words) < 2 or not ran.change:
            return frozenset()
        rest = set(words[2:])
        everything = (
            (words[1] == "stash" and not rest - {"push", "save", "-u", "-a", "--all", "-m", "--include-untracked", "--quiet", "-q"} - set(words[3:]) and not _stash_paths(words))
            or (words[1] == "reset" and "--hard" in rest)
            or (words[1] in ("checkout", "restore") and bool(rest & {".", ":/", "-f", "--force"}))
        )  # fmt: skip
        if not everything or "stash pop" in (called.line or "") or "stash apply" in (called.line or ""):
            return frozenset()
        return self._dirty.get(called.at.session, frozenset())

    def learn(self, called: Called, commands: tuple[Ran, ...]) -> Iterator[tuple[Ran, str]]:
        """Take in a call; files that a status now lists and did not before, with the installer that wrote them."""
        session = called.at.session
        for ran in commands:
            words = ran.command.words
            if (
                words[:1] == ("git",)
                and words[1:2]
                and words[1] in ("status", "diff")
                and called.call.output is not None
            ):
                dirty = _listed(called.call.output.ends()[:_READ])
                before = self._dirty.get(session, frozenset())
                for one in self._installed.pop(session, []):
                    for path in sorted(dirty - before):
                        if posixpath.basename(path) in _INSTALLERS[one.command.program]:
                            yield one, path
                if words[1] == "status":
                    self._dirty[session] = dirty
            elif (
                ran.command.effect == "install"
                and ran.command.program in _INSTALLERS
                and ran.outcome.reached != "no"
            ):
                self._installed.setdefault(session, []).append(ran)
                del self._installed[session][:-20]
            elif words[:2] == ("git", "commit"):
                self._dirty.pop(session, None)


def _stash_paths(words: tuple[str, ...]) -> bool:
    return words[2:3] == ("push",) and (
        "--" in words or any("/" in word or "." in word for word in words[3:])
    )


def by_git(words: tuple[str, ...]) -> list[str]:
    """The files that a git command puts another content into, takes away or moves."""
    name = words[1] if len(words) > 1 else ""
    if name not in _GIT_NAMES or (name == "restore" and "--staged" in words and "--worktree" not in words):
        return []
    rest = list(words[2:60])
    if "--" in rest:
        return rest[rest.index("--") + 1 :]
    plain_words = [word for word in rest if not word.startswith("-")]
    if name == "stash":
        return plain_words[1:] if plain_words[:1] == ["push"] else []
    if name == "checkout":
        # A lone word may be a branch; a path has a slash and an ending, or is told by its dashes.
        return (
            []
            if "-b" in rest or "-B" in rest
            else [word for word in plain_words if "." in posixpath.basename(word)]
        )
    return plain_words


def _listed(output: str) -> frozenset[str]:
    found = (one["path"] or one["stat"] for one in _STATUS.finditer(output))
    return frozenset(path.split(" -> ")[-1].strip() for _, path in zip(range(_MOST), found, strict=False))
