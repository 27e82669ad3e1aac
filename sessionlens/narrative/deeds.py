"""What a command did, as a noun and as a verb. Pure functions of one command.

An effect is a class of many commands, and its word is false of some: ``git fetch`` transfers no files to a branch, a
commit is no creation, ``chmod`` writes no file. Where the program or its own verb says it better, that is what is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sessionlens.narrative import words
from sessionlens.shell.command import Command


class Deed(NamedTuple):
    """How one verb of a program is told."""

    noun: str
    """``commit``; follows *a* and *the*."""
    past: str
    """``made a commit in``; the target follows."""
    records: bool = False
    """Whether it only records or fetches, so that nothing which a check could look at is another than before."""


_GIT: Mapping[str, Deed] = {
    "add": Deed("staging", "staged changes in", True),
    "am": Deed("patch", "applied a patch in"),
    "apply": Deed("patch", "applied a patch in"),
    "checkout": Deed("checkout", "ran a checkout in"),
    "cherry-pick": Deed("cherry-pick", "made a cherry-pick in"),
    "clone": Deed("clone", "cloned"),
    "commit": Deed("commit", "made a commit in", True),
    "fetch": Deed("fetch", "fetched from the remote of", True),
    "init": Deed("creation", "created"),
    "merge": Deed("merge", "made a merge in"),
    "mv": Deed("move", "moved files in"),
    "notes": Deed("note", "wrote notes in", True),
    "pull": Deed("pull", "pulled from the remote of"),
    "push": Deed("push", "pushed to"),
    "rebase": Deed("rebase", "ran a rebase in"),
    "reset": Deed("reset", "ran a reset in"),
    "restore": Deed("restoring", "restored files in"),
    "revert": Deed("revert", "made a revert in"),
    "stash": Deed("stash", "stashed changes of", True),
    "switch": Deed("switch of branch", "switched the branch of", True),
    "tag": Deed("tag", "set the tag", True),
    "branch": Deed("branch", "made the branch", True),
}
_GIT_PAIRS: Mapping[tuple[str, str], Deed] = {
    ("stash", "pop"): Deed("return of stashed changes", "brought stashed changes back in"),
    ("stash", "apply"): Deed("return of stashed changes", "brought stashed changes back in"),
    ("worktree", "add"): Deed("working tree", "added a working tree to", True),
    ("remote", "update"): Deed("fetch", "fetched from the remotes of", True),
    ("submodule", "update"): Deed("update of submodules", "updated the submodules of"),
    ("lfs", "fetch"): Deed("fetch", "fetched from the remote of", True),
    ("lfs", "pull"): Deed("pull", "pulled from the remote of"),
    ("lfs", "push"): Deed("push", "pushed to"),
}
_HOSTING: Mapping[tuple[str, str], Deed] = {
    ("pr", "create"): Deed("pull request", "opened a pull request in", True),
    ("mr", "create"): Deed("merge request", "opened a merge request in", True),
    ("issue", "create"): Deed("issue", "opened an issue in", True),
    ("pr", "comment"): Deed("comment", "commented on", True),
    ("issue", "comment"): Deed("comment", "commented on", True),
    ("mr", "note"): Deed("comment", "commented on", True),
    ("pr", "review"): Deed("review", "reviewed", True),
    ("pr", "merge"): Deed("merge", "merged"),
    ("mr", "merge"): Deed("merge", "merged"),
    ("pr", "checkout"): Deed("checkout", "ran a checkout of"),
}
_PROGRAMS: Mapping[str, Deed] = {
    "chmod": Deed("change of mode", "changed the mode of"),
    "chown": Deed("change of owner", "changed the owner of"),
    "chgrp": Deed("change of group", "changed the group of"),
    "ln": Deed("link", "linked"),
    "touch": Deed("touch", "touched"),
}
_CONTAINERS = frozenset({"docker", "podman", "nerdctl", "buildah", "skopeo"})
_PRUNED = Deed("clean-up", "removed unused objects of")
_RESET = Deed("reset", "ran a reset of")
_REQUEST = Deed("request", "sent data to")
_PUSHED, _PULLED = Deed("push", "pushed"), Deed("pull", "pulled")
_CLIENTS = frozenset({"curl", "wget", "aria2c"})
_DOWNLOAD = Deed("download", "downloaded")
_FORMATTERS = frozenset(
    {"gofmt", "gofumpt", "goimports", "black", "prettier", "isort", "rustfmt", "shfmt", "clang-format"}
)
_FORMATTING = Deed("formatting", "formatted")
_VALUED = frozenset({"-C", "-c", "--git-dir", "--work-tree", "-R", "--repo", "--namespace"})
"""Options before the verb whose value follows."""


def verbs(command: Command) -> tuple[str, str]:
    """The program's own verb and the word after it; empty where there is none."""
    found: list[str] = []
    skip = False
    for word in command.words[1:12]:
        if skip:
            skip = False
        elif word.startswith("-"):
            skip = word in _VALUED
        else:
            found.append(word)
    return (*found, "", "")[0], (*found, "", "")[1]


def own(command: Command) -> bool:
    """Whether a script or a task of the project's own was run, of which nothing but its name tells what it does."""
    return command.script and command.target.kind == "unknown"


def deed(command: Command) -> Deed | None:
    """How a command is told where its effect's words would not be true of it."""
    name = command.program
    verb, then = verbs(command)
    found: Deed | None = None
    if name == "git":
        found = _GIT_PAIRS.get((verb, then))
        if found is None and command.effect not in ("delete", "configure"):
            found = _GIT.get(verb)
    elif name in ("gh", "hub", "glab"):
        found = _HOSTING.get((verb, then))
    elif name in _CONTAINERS:
        found = _PRUNED if "prune" in (verb, then) else {"push": _PUSHED, "pull": _PULLED}.get(verb)
    elif name in _CLIENTS and command.effect == "transfer":
        found = _DOWNLOAD
    elif command.effect == "write_data" and command.target.kind == "url":
        # Whether a request changed anything is for whoever answered it to say.
        found = _REQUEST
    elif command.effect == "migrate" and any("reset" in word for word in command.words[1:]):
        found = _RESET
    elif name in _PROGRAMS:
        found = _PROGRAMS[name]
    elif command.effect == "edit" and (name in _FORMATTERS or verb in ("fmt", "format")):
        found = _FORMATTING
    if found is None and command.target.kind == "repository" and command.effect in _OF_FILES:
        line = " ".join(piece for piece in (name, verb) if piece)
        found = Deed("command", f"ran {words.code(line)} in", name == "git" and verb in _RECORDS)
    return found


_OF_FILES = frozenset({"edit", "create", "transfer", "write_data"})
"""Effects whose words speak of files or things, of which a repository is none."""
_RECORDS = frozenset({"update-index", "rerere", "bisect"})


_TOLD_BY_NAME = frozenset({"build", "test", "edit", "none", "read"})
"""Effects that a script's name need not be explained by."""


def noun(command: Command) -> str:
    """What was run, for *a … of the target*."""
    found = deed(command)
    return found.noun if found is not None else words.NOUNS[command.effect]


def records(command: Command) -> bool:
    """Whether a change is one of records alone: a fetch, a commit, a tag."""
    found = deed(command)
    return found is not None and found.records


def only_looks(command: Command) -> bool:
    """Whether a command that transfers or stages changes nothing that anybody works with: a fetch, ``git add``."""
    return noun(command) in ("fetch", "staging")


def told(command: Command, *, done: bool) -> str:
    """What the assistant did, with the target: ``pushed to \\`main\\```; ``done`` where it surely did."""
    target = words.target_of(command.target, command)
    if own(command):
        ran = words.code(words.clip(" ".join(command.words[:4]), 100)) + words.place_of(command.target)
        known = words.NOUNS[command.effect]
        return (
            f"ran {ran}" if command.effect in _TOLD_BY_NAME else f"ran {ran} ({words.an(known)} by its name)"
        )
    found = deed(command)
    if found is _PRUNED:
        return f"{found.past} {words.code(command.program)}"
    if found is None and not command.target.name and command.target.kind == "container":
        # ``docker login``: it names no container, and none is meant.
        return f"ran {words.code(' '.join(piece for piece in (command.program, verbs(command)[0]) if piece))}"
    if found is None:
        return (
            f"{words.PAST[command.effect]} {target}"
            if done
            else f"ran {words.an(words.NOUNS[command.effect])} of {target}"
        )
    if done or found.past.startswith("ran "):
        return f"{found.past} {target}"
    return f"ran {_line(command)} for {target}"


def _line(command: Command) -> str:
    """The program, with its verb where it has verbs, as code."""
    name = command.program
    several = name in _CONTAINERS or command.target.kind == "repository"
    return words.code(" ".join(piece for piece in (name, verbs(command)[0] if several else "") if piece))


_PARTICIPLES = {
    "create": "created",
    "delete": "deleted",
    "deploy": "deployed",
    "install": "installed",
    "migrate": "migrated",
    "reboot": "rebooted",
    "reload": "reloaded",
    "restart": "restarted",
    "scale": "scaled",
    "start": "started",
    "stop": "stopped",
}


def participle(command: Command) -> str:
    """What was done to the target, for *it was …*: ``run`` of a script, since its name tells no more; ``deleted``, ``started``; else ``changed``."""
    if own(command):
        return "run"
    known = {id(_PRUNED): "cleaned up", id(_RESET): "reset", id(_REQUEST): "sent data"}.get(id(deed(command)))
    if known is not None:
        return known
    return _PARTICIPLES.get(command.effect, "changed")
