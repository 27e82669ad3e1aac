"""The words by which people speak of a file: its names, and what sort of file it is."""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache

from sessionlens.cache import lazy
from sessionlens.graph.constraints import stem
from sessionlens.graph.file_changes import plain

SYSTEM = lazy(
    r"^(?:/private)?/(?:etc|usr|bin|sbin|lib\w*|boot|sys|proc|dev|opt|root|var/(?:log|lib|spool|cache|run|mail|backups))(?:/|$)"
    r"|^(?:~|/home/[^/]+|/Users/[^/]+|/root|\$HOME|\$\{HOME\})/\.(?:bashrc|zshrc|profile|bash_profile|zprofile|ssh|aws|kube|npmrc|gitconfig|config|docker|gnupg|netrc|pypirc)(?:/|$)"
    r"|^[A-Za-z]:/(?:Windows|Program Files|ProgramData)",
)
"""Places of the system or of the person's account, not of a project."""
SCRATCH = lazy(
    r"^(?:/private)?/(?:tmp|var/tmp|var/folders|dev/(?:null|shm|std\w+|fd|tty))(?:/|$)|^(?:\$\{?TMPDIR\}?|%TEMP%)|(?:^|/)(?:node_modules/\.cache|__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache)(?:/|$)|\.(?:pyc|tmp|swp)$"
)
"""Places for what is thrown away."""
LOCK = lazy(
    r"(?:^|/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|poetry\.lock|uv\.lock|Pipfile\.lock|Cargo\.lock|Gemfile\.lock|composer\.lock|go\.sum|mix\.lock|flake\.lock)$"
)
MANIFEST = lazy(
    r"(?:^|/)(?:package\.json|requirements[\w.-]*\.txt|pyproject\.toml|setup\.(?:py|cfg)|Pipfile|Cargo\.toml|go\.mod|Gemfile|composer\.json|pom\.xml|build\.gradle(?:\.kts)?|mix\.exs|pubspec\.yaml|[\w.-]+\.csproj)$"
)
SECRET = lazy(
    r"(?:^|/)(?:\.env(?:\.(?!example|sample|template)[\w.]+)?|\.npmrc|\.pypirc|\.netrc|credentials(?:\.\w+)?|secrets?(?:\.\w+)?|id_(?:rsa|ed25519|ecdsa)|[\w.-]+\.(?:pem|key|p12|pfx|jks))$"
)
CI = lazy(
    r"(?:^|/)(?:\.github/(?:workflows|actions)|\.circleci|\.buildkite|\.husky)/|(?:^|/)(?:\.gitlab-ci|\.travis|\.drone|azure-pipelines|bitbucket-pipelines|\.pre-commit-config|Jenkinsfile)"
)
_CONFIG = lazy(
    r"(?:^|/)(?:config|configs|configuration|conf|settings|etc|conf\.d|\.github|k8s|helm|terraform|infra)/|\.(?:ya?ml|toml|ini|cfg|conf|properties|env|plist|tfvars)$|(?:^|/)\.env|(?:^|/)[\w.-]*(?:config|rc|settings)\.(?:js|ts|cjs|mjs|json|py)$",
    re.IGNORECASE,
)
_TEST = lazy(
    r"(?:^|/)(?:tests?|__tests__|specs?|e2e|fixtures|__snapshots__|testdata)/|(?:^|/)(?:test_[^/]+|[^/]+_test|[^/]+[.-](?:test|spec)|[^/]+Test|conftest)\.\w+$"
)
_DOC = lazy(r"\.(?:md|mdx|rst|adoc|txt)$|(?:^|/)docs?/", re.IGNORECASE)
_CODE = lazy(
    r"\.(?:py|js|jsx|ts|tsx|mjs|cjs|go|rs|java|kt|scala|rb|php|cs|swift|c|cc|cpp|h|hpp|ex|exs|vue|svelte|sql|sh)$"
)
_CAMEL = lazy(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")

_CLASSES: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (SYSTEM, ("system", "system-wide", "wide", "global", "host")),
    (LOCK, ("lock", "lockfile", "dependency", "dependencies")),
    (MANIFEST, ("dependency", "dependencies", "package", "packages", "manifest")),
    (SECRET, ("secret", "secrets", "credential", "credentials", "env", "environment")),
    (CI, ("ci", "cd", "pipeline", "workflow", "workflows", "actions", "continuous")),
    (_CONFIG, ("config", "configuration", "configs", "setting", "settings")),
    (_TEST, ("test", "tests", "spec", "specs", "fixture", "fixtures")),
    (_DOC, ("doc", "docs", "documentation", "readme")),
    (_CODE, ("source",)),
)


def resolved(path: str, folder: str | None, directory: str | None) -> str:
    """A path as seen from the session's folder, where the log tells both."""
    clean = plain(path)
    if folder and not clean.startswith(("/", "~", "$")) and not re.match(r"[A-Za-z]:", clean):
        clean = posixpath.normpath(f"{plain(folder)}/{clean}")
    if directory and clean.startswith(f"{plain(directory)}/"):
        clean = clean[len(plain(directory)) + 1 :]
    return clean


@lru_cache(maxsize=4096)
def path_stems(path: str) -> frozenset[str]:
    """The words of a path and of its sort, as stems; ``prod`` and ``production`` are one."""
    words = {part for part in _CAMEL.split(path) if len(part) > 1}
    words |= {part for part in re.split(r"[/.]", path) if len(part) > 1}
    for pattern, names in _CLASSES:
        if pattern.search(path) is not None:
            words.update(names)
    if words & {"prod", "production"}:
        words |= {"prod", "production"}
    if "migrations" in words:
        words.add("migration")
    return frozenset(stem(word) for word in words)


def within(path: str, named: str) -> bool:
    """Whether a path is a named file, or lies in a named folder, wherever the work's own folder is."""
    inner, outer = _parts(path), _parts(named.split("*", 1)[0])
    if not outer:
        return False
    if named.startswith("/") and path.startswith("/"):
        return inner[: len(outer)] == outer
    return any(inner[at : at + len(outer)] == outer for at in range(len(inner) - len(outer) + 1))


def _parts(path: str) -> list[str]:
    return [part for part in plain(path).split("/") if part not in ("", ".", "~")]
