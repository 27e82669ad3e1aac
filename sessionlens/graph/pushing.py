"""Whether commits leave for a remote repository: by git or another tool of its kind, by a script, an alias or a
tool of a client, or as the output shows.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

from sessionlens.cache import lazy
from sessionlens.graph.events import Called, Ran
from sessionlens.graph.file_changes import FileChange

_READ = 20_000
"""Characters of an output that are looked at, at its ends."""
_MOST = 200
"""Scripts and aliases that are kept."""
_GIT_VALUES = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"})
_SHOWN = lazy(
    r"^To (?:\S+@|\S{1,20}://|[./~]|\w[\w.-]*:)\S*[ \t]*\r?\n(?:[^\n]{0,300}\n){0,5}?[ \t*+=-]{1,4}(?:\[new (?:branch|tag)\]|[0-9a-f]{4,40}\.{2,3}[0-9a-f]{4,40})[ \t]+\S+ -> \S+",
    re.MULTILINE,
)
"""What ``git push`` writes of a branch that went."""
_REQUEST = lazy(r"https?://\S{1,200}/(?:pull|pulls|merge_requests|pullrequest|pull-requests)/\d+")
_SPOKEN_OF = lazy(
    r"\b(?:prs?|mrs?|pull[ -]?requests?|merge[ -]?requests?)\b|プルリク|拉取请求|合并请求", re.IGNORECASE
)
_OF_PUSH = lazy(
    r"(?:^|[-_/.])(?:git[-_]?)?push(?:[-_](?:all|branch|main|master|changes|code|git|it))?(?:\.\w{1,4})?$"
)
_TOOL = lazy(
    r"(?:^|_)git_?push$|(?:^|_)push_(?:files?|commits?|branch|changes|to_\w{1,20}|remote)$|(?:^|_)(?:git|gitlab|github|gitea|bitbucket)\w*_push(?:_\w{1,20})?$|^push$"
)
_CAMEL = lazy(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")
_IN_SCRIPT = lazy(r"\b(?:git\b[^\n#]{0,60}?\spush|(?:jj|hg|sl)\s+(?:git\s+)?push)\b(?![^\n]{0,60}--dry-run)")
_REMOTES = frozenset({"remote", "origin", "upstream", "github", "gitlab", "bitbucket", "codeberg", "gitea"})
_WENT = lazy(r" -> (?P<branch>[\w./-]{1,200})")
_ADDRESS = lazy(r"^To (?P<address>\S{1,300})", re.MULTILINE)
_BRANCHES = 20
_RUNNERS = frozenset(
    {"bash", "sh", "zsh", "dash", "ksh", "source", ".", "python", "python3", "node", "ruby", "perl"}
)


def arguments(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a git command behind its global options, its sub-command first."""
    at = 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _GIT_VALUES else 1
    return words[at:]


def pushes(ran: Ran) -> bool:
    """Whether a command brings commits to a remote by its words."""
    words = ran.command.words[:40]
    if not words:
        return False
    program = ran.command.program
    if program == "git":
        rest = arguments(words)
        what = rest[:2]
        return (
            what[:1] in (("push",), ("send-pack",), ("review",))
            or what in (("subtree", "push"), ("svn", "dcommit"))
        ) and not {"-n", "--dry-run", "-h", "--help"} & set(rest)
    plain = tuple(word for word in words[1:12] if not word.startswith("-"))
    if program == "jj":
        return plain[:2] == ("git", "push") and "--dry-run" not in words
    if program in ("hg", "sl", "bzr", "fossil", "darcs"):
        return plain[:1] == ("push",)
    if program in ("gt", "av", "ghstack", "spr"):
        return plain[:1] in (("submit",), ("ss",), ("stack",), ("update",)) or (
            program == "ghstack" and not plain
        )
    if program == "repo":
        return plain[:1] == ("upload",)
    script = plain[0] if program in _RUNNERS and plain else words[0]
    return _OF_PUSH.search(script) is not None and (script != "push" or "/" in words[0])


def script(ran: Ran) -> str:
    """The name of the script that a command runs; empty for none. A check of its syntax runs none."""
    words = ran.command.words[:12]
    if not words:
        return ""
    program = ran.command.program
    if program not in _RUNNERS:
        return program if "/" in words[0] else ""
    if any(re.fullmatch(r"-\w*n\w*|--check|--syntax-only|-c|-m|-e", word) for word in words[1:]):
        return ""
    return next((word.rsplit("/", 1)[-1] for word in words[1:] if not word.startswith("-")), "")


def where(ran: Ran) -> frozenset[str]:
    """Where a push goes as its output shows: the words of the remote's address, and the branches that its words leave
    open. Where the output does not show it, the names by which people speak of a remote."""
    output = ran.call.call.output
    text = output.ends()[:_READ] if output is not None else ""
    if "To " not in text and " -> " not in text:
        return _REMOTES
    gone: set[str] = set()
    if len([word for word in arguments(ran.command.words[:40]) if not word.startswith("-")]) < 3:
        gone = {found["branch"] for found in itertools.islice(_WENT.finditer(text), _BRANCHES)}
    for found in itertools.islice(_ADDRESS.finditer(text), _BRANCHES):
        gone |= set(re.split(r"[/:@.]+", found["address"]))
    return frozenset(gone | {"remote", "origin"})


def shown(called: Called) -> bool:
    """Whether the output of a call shows that a branch went to a remote."""
    output = called.call.output
    if output is None:
        return False
    text = output.ends()[:_READ]
    return "To " in text and " -> " in text and _SHOWN.search(text) is not None


def refused(ran: Ran) -> bool:
    """Whether a push failed, and nothing shows that any of it went."""
    output = ran.call.call.output
    text = output.ends()[:_READ] if output is not None else ""
    return (ran.outcome.failed or _REFUSED.search(text) is not None) and _SHOWN.search(text) is None


_REFUSED = lazy(
    r"^(?:fatal: |error: failed to push|remote: (?:error|fatal): |.{0,8}! \[(?:remote )?rejected\])",
    re.MULTILINE,
)


def opens_request(ran: Ran, said: str) -> bool:
    """Whether a command opens a request to merge, of which the person does not speak: its branch lies on the remote."""
    words = ran.command.words[:6]
    program = ran.command.program
    opens = (
        program in ("gh", "glab", "tea", "az") and "create" in words and bool({"pr", "mr"} & set(words))
    ) or (program == "hub" and words[1:2] == ("pull-request",))
    if not opens or _SPOKEN_OF.search(said) is not None:
        return False
    output = ran.call.call.output
    return "--push" in ran.command.words or (
        output is not None and _REQUEST.search(output.ends()[:_READ]) is not None
    )


def by_tool(called: Called) -> bool:
    """Whether a tool of a client, by its name, brings commits to a remote."""
    name = _CAMEL.sub("_", called.call.name).casefold()
    return "push" in name and _TOOL.search(name) is not None


class Means:
    """The scripts and aliases of a session by which it pushes."""

    def __init__(self) -> None:
        self._scripts: set[str] = set()
        self._aliases: set[str] = set()

    def learn(self, commands: Iterable[Ran], changes: Iterable[FileChange]) -> None:
        """What a call writes or sets."""
        for change in changes:
            if "push" in change.added and _IN_SCRIPT.search(change.added[:_READ]) is not None:
                self._scripts.add(change.path.rsplit("/", 1)[-1])
        for ran in commands:
            words = ran.command.words[:12]
            if words[:2] == ("git", "config"):
                at = next((n for n, word in enumerate(words) if word.startswith("alias.")), 0)
                if at and words[at + 1 : at + 2] and re.search(r"(?:^!?|\s)push\b", words[at + 1]):
                    self._aliases.add(words[at].removeprefix("alias."))
        if len(self._scripts) + len(self._aliases) > _MOST:
            self._scripts.clear()
            self._aliases.clear()

    def used(self, ran: Ran) -> bool:
        """Whether a command runs one of them."""
        words = ran.command.words[:12]
        if not words or not (self._scripts or self._aliases):
            return False
        program = ran.command.program
        if program == "git":
            return arguments(words)[:1] != () and arguments(words)[0] in self._aliases
        run = (
            words[1:2]
            if program in _RUNNERS
            else words[:1]
            if "/" in words[0] or program in self._scripts
            else ()
        )
        return any(one.rsplit("/", 1)[-1] in self._scripts for one in run)
