"""What is private though no secret, each kind only when asked for: home folders, e-mail, addresses, hosts.

Cut with ordinary patterns: these kinds are off by default and their patterns begin with a rare character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sessionlens.redact.cut import Found

_HOME = re.compile(
    r"(?:(?<![\w.])/(?:home|Users|export/home|usr/home)/|[A-Za-z]:(?:\\{1,4}|/)Users(?:\\{1,4}|/)|(?<!\w)/[a-z]/Users/|"
    r"-(?:home|Users)-)(?P<name>[A-Za-z0-9_][A-Za-z0-9_.]{0,63})"
)  # fmt: skip
_SHARED = frozenset({"shared", "public", "default", "all", "linuxbrew", "runneradmin"})


def homes(text: str) -> Iterator[Found]:
    """The name of the person in paths of home folders."""
    if "home" not in text and "Users" not in text:
        return
    for match in _HOME.finditer(text):
        name = match["name"].rstrip(".")
        if name.casefold() not in _SHARED and not name.startswith("REDACTED"):
            yield Found(match.start("name"), match.start("name") + len(name), "user", name)


_MAIL = re.compile(
    r"(?<![\w.+%-])(?P<user>[\w.+%-]{1,64})@(?P<host>[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})(?:\.[A-Za-z0-9-]{1,63}){0,8}\.[A-Za-z]{2,24})(?![\w-])"
)
_NO_PERSON = frozenset(
    {"git", "noreply", "no-reply", "root", "ec2-user", "ubuntu", "admin", "debian", "centos", "deploy"}
)


def emails(text: str) -> Iterator[Found]:
    """E-mail addresses; the login of a remote command (``git@host:``) is none."""
    if "@" not in text:
        return
    for match in _MAIL.finditer(text):
        login = match["user"].casefold() in _NO_PERSON or text[match.end() : match.end() + 1] == ":"
        if login or text[match.start() - 3 : match.start()] == "://" or "REDACTED-" in match[0]:
            continue
        yield Found(match.start(), match.end(), "email", match[0])


_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_IPV4 = re.compile(rf"(?<![\w.-]){_OCTET}(?:\.{_OCTET}){{3}}(?![\w-]|\.\d)")
_IPV6 = re.compile(
    r"(?<![\w:.])(?:[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4}){7}|(?:[0-9a-fA-F]{1,4}:){1,7}:(?:[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4}){0,6})?)(?![\w:])"
)
_NOWHERE = re.compile(r"127\.|0\.0\.0\.0\Z|255\.255\.|22[4-9]\.|fe80::\Z|::1?\Z", re.IGNORECASE)
_VERSION = re.compile(r"(?:\bv|version|release|==|>=|@)[\s:=]{0,3}\Z", re.IGNORECASE)


def addresses(text: str) -> Iterator[Found]:
    """IP addresses; those of this very machine, masks, and versions with four numbers stay."""
    for pattern, mark in ((_IPV4, "."), (_IPV6, "::")):
        if mark not in text and not (mark == "::" and text.count(":") >= 7):
            continue
        for match in pattern.finditer(text):
            before = text[max(0, match.start() - 12) : match.start()]
            if not _NOWHERE.match(match[0]) and not (_VERSION.search(before) and "@" not in before):
                yield Found(match.start(), match.end(), "address", match[0])


_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?(?:\.[A-Za-z0-9-]{1,63}){0,8}"
_REMOTE = re.compile(
    r"\b(?:ssh|mosh|sftp|ssh-copy-id|ping|dig|nslookup|traceroute|telnet|nc)\s+(?:-[46AaCfGgKkMNnqsTtVvXxYyz]+\s+|"
    rf"-[BbcDEeFIiJLlmOopQRSWw]\s*\S{{1,200}}\s+){{0,12}}(?:[\w.-]{{1,64}}@)?(?P<host>{_NAME})"
)  # fmt: skip
_LOGIN = re.compile(
    rf"(?<![\w.+%-])(?:root|admin|ubuntu|ec2-user|deploy|debian|centos|core|[a-z][\w-]{{0,31}})@(?P<host>{_NAME})(?=:|\s|['\"]|$)"
)
_URL = re.compile(rf"[a-z][a-z0-9+.-]{{1,20}}://(?:[^\s/@]{{1,300}}@)?(?P<host>{_NAME})", re.IGNORECASE)
_KNOWN = re.compile(
    r"(?:localhost|host\.docker\.internal|example\.(?:com|org|net)|(?:.*\.)?(?:github|gitlab|bitbucket|githubusercontent|npmjs|pypi|"
    r"pythonhosted|debian|ubuntu|docker|google|googleapis|microsoft|amazonaws|cloudflare|python|golang|rust-lang|crates|kubernetes|"
    r"k8s|w3|schema|mozilla|apache|json-schema|quay|ghcr|gcr|huggingface|openai|anthropic|opencode|stackoverflow|wikipedia)\.[a-z]{2,6}|"
    r"\d+(?:\.\d+){3}|\d+|REDACTED.*|(?:address|host)-\d.*|.*\.(?:py|js|ts|sh|md|json|ya?ml|toml|txt|log|conf|go|rs|c|h))\Z",
    re.IGNORECASE,
)  # fmt: skip


def hosts(text: str, command: bool) -> Iterator[Found]:
    """Names of hosts as a remote command, a login or a URL gives them; public services stay."""
    patterns = [_URL] if "://" in text else []
    if command:
        patterns += [_REMOTE, _LOGIN]
    for pattern in patterns:
        for match in pattern.finditer(text):
            name = match["host"].rstrip(".-")
            if len(name) >= 3 and not _KNOWN.match(name):
                yield Found(match.start("host"), match.start("host") + len(name), "host", name)


_ENVIRONMENT = re.compile(
    r"(?<![a-z])(prod(?:uction)?|live|stag(?:e|ing)|stg|dev(?:elopment)?|test(?:ing)?|qa|uat|sandbox|preprod|local|demo|canary)(?![a-z])",
    re.IGNORECASE,
)


def host_pseudonym(name: str, number: int) -> str:
    """``host-1``, with the word that tells the environment kept, for the judgement rests on it."""
    word = _ENVIRONMENT.search(name)
    return f"host-{number}" + (f"-{word[1].casefold()}" if word else "")


def pseudonym(kind: str, value: str, number: int) -> str:
    """The name that stands for a private value: still a user, an e-mail address, a host where one is expected."""
    if kind == "host":
        return host_pseudonym(value, number)
    return f"person-{number}@mail.invalid" if kind == "email" else f"{kind}-{number}"


KINDS = frozenset({"user", "email", "address", "host"})
"""Kinds of findings made here."""
