"""What is private though no secret, each kind only when asked for: home folders, e-mail, addresses, hosts.

Cut with ordinary patterns: these kinds are off by default and their patterns begin with a rare character.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sessionlens.redact.cut import Found

_HOME = re.compile(
    r"(?:(?<![\w.])/(?:home|Users|export/home|usr/home)/|[A-Za-z]:(?:\\{1,4}|/)Users(?:\\{1,4}|/)|(?:/mnt|/cygdrive|(?<!\w))/[a-z]/Users/|"
    # Clients call a folder for a project by its path with other signs between the parts.
    r"-(?:home|Users)-|__(?:home|Users)__)(?P<name>(?:(?!__)[A-Za-z0-9_.]){1,64})"
)  # fmt: skip
_REMOTE_USER = re.compile(
    r"\b(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id)\s(?:[^\n;|&@]{0,200}\s)?['\"]?(?P<user>[a-z_][\w.-]{0,31})@(?=[A-Za-z0-9])"
)
_OWNERS = re.compile(
    r"(?<![\w-])[-dlcbps][r-][w-][xsS-][r-][w-][xsS-][r-][w-][xtT-][.+@]?[ ]{1,4}\d{1,7}[ ]{1,4}"
    r"(?P<user>[A-Za-z_][\w.-]{0,31})[ ]{1,20}(?P<group>[A-Za-z_][\w.-]{0,31})(?=[ ]{1,20}\d)"
)
"""The owner and the group of a file, as ``ls -l`` lists them."""
_ACCOUNTS = frozenset(
    """
    _apt adm admin administrators apache app apps audio avahi backup bin cdrom clickhouse codespace consul crontab daemon dbus
    debian deploy dialout dip disk docker dovecot ec2-user elasticsearch etcd everyone exim ftp games git gitlab-runner gnats go
    grafana group haproxy http input irc jenkins kafka kmem kvm lighttpd list lp lpadmin lxd mail man memcached messagebus minio
    mlocate mongod mongodb munin mysql netdata news nginx nobody node nogroup ntp operator oracle owner plugdev polkitd postfix
    postgres prometheus proxy rabbitmq redis render root runner sasl shadow solr sshd ssl-cert staff sudo sync sys syslog
    systemd-journal systemd-network systemd-resolve systemd-timesync tape tomcat tss tty ubuntu user users utmp uucp uuidd vagrant
    vault video vscode wheel worker www www-data zabbix zookeeper
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
"""Accounts and groups of the system and its services: no names of persons."""
_GROUPS_ALONE = frozenset(
    """
    adm audio cdrom crontab dialout dip disk input kmem kvm plugdev render sasl shadow ssl-cert staff sudo tape tty users utmp video
    wheel
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
"""Groups that have no account of their name: who owns a file under it is a person."""


def _owners(text: str) -> Iterator[Found]:
    if "rw" not in text and "r-" not in text:
        return
    for match in _OWNERS.finditer(text):
        for part in ("user", "group"):
            known = _ACCOUNTS if part == "group" else _ACCOUNTS - _GROUPS_ALONE
            if match[part].casefold() not in known:
                yield Found(match.start(part), match.end(part), "user", match[part])


_SHARED = frozenset({"shared", "public", "default", "all", "linuxbrew", "runneradmin"})


def homes(text: str) -> Iterator[Found]:
    """The name of the person in paths of home folders, before the host in the prompts of a shell and in remote commands, and
    as the owner of files in listings.
    """
    if "@" in text:
        for pattern in (_PROMPT, _REMOTE_USER):
            for match in pattern.finditer(text):
                if match["user"].casefold() not in _NO_PERSON:
                    yield Found(match.start("user"), match.end("user"), "user", match["user"])
    if "$ " in text:
        for match in _MAC.finditer(text):
            if match["user"].casefold() not in _NO_PERSON:
                yield Found(match.start("user"), match.end("user"), "user", match["user"])
    yield from _owners(text)
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


_NOBODYS = re.compile(
    r"(?:[A-Za-z0-9-]{1,63}\.){0,8}(?:example\.(?:com|org|net)|test|invalid|localhost)\Z", re.IGNORECASE
)
"""Domains that are kept free for examples and tests (RFC 2606): an address in them is nobody's."""


_MISSPELT = re.compile(r"^\.|\.\.|\.$")
"""What no address has before its sign: it stands there as an example of a wrong one, and a right one would change the code."""


_PATH_BEHIND = re.compile(r":(?=[/~.\w$*])")
_PROMPT_PATH = re.compile(r":(?=[/~])")


def emails(text: str, command: bool) -> Iterator[Found]:
    """E-mail addresses; the login of a remote command (``anna@host:/path``), or of a prompt, is none."""
    if "@" not in text:
        return
    for match in _MAIL.finditer(text):
        behind = _PATH_BEHIND if command else _PROMPT_PATH
        login = match["user"].casefold() in _NO_PERSON or behind.match(text, match.end())
        if (
            login
            or _NOBODYS.match(match["host"])
            or _MISSPELT.search(match["user"])
            or text[match.start() - 3 : match.start()] == "://"
            or "REDACTED-" in match[0]
        ):
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
_USER = r"[\w.-]{1,64}"
_REMOTE = re.compile(
    r"\b(?:ssh|mosh|sftp|ssh-copy-id|ping|dig|nslookup|traceroute|telnet|nc)\s+(?:-[46AaCfGgKkMNnqsTtVvXxYyz]+\s+|"
    rf"-[BbcDEeFIiJLlmOopQRSWw]\s*\S{{1,200}}\s+){{0,12}}(?P<login>{_USER}@)?(?P<host>{_NAME})"
)  # fmt: skip
_COPY = re.compile(r"\b(?:scp|rsync|sftp)\s[^\n;|&]{0,1000}")
_COPIED = re.compile(rf"(?<![\w./:@-])(?:{_USER}@)?(?P<host>{_NAME}):(?![:/]/)(?=[\w/~.$*{{'\"\\]|\s|$)")
_LOGIN = re.compile(
    rf"(?<![\w.+%-])(?P<login>root|admin|ubuntu|ec2-user|deploy|debian|centos|core|[a-z][\w-]{{0,31}})@(?P<host>{_NAME})(?=:|\s|['\"`]|$)"
)
_CLIENT = re.compile(
    r"\b(?:psql|pg_\w+|pgbench|createdb|dropdb|mysql\w*|mariadb[\w-]*|redis-cli|valkey-cli|mongo\w*|clickhouse-client|influx|"
    r"nats|kcat|kafkacat|rabbitmqadmin|ldapsearch|cqlsh|cypher-shell)\b[^\n;|&]{0,200}?\s(?:-h|-H|--host(?:name)?)[= ]{0,3}['\"]?"
    rf"(?P<host>{_NAME})(?![\w(])"
)
_FETCH = re.compile(
    rf"\b(?:curl|wget|https?|httpie)\b[^\n;|&]{{0,300}}?\s['\"]?(?P<host>{_NAME}):\d{{2,5}}(?=[/\s'\"]|$)"
)
_URL = re.compile(rf"[a-z][a-z0-9+.-]{{1,20}}://(?:[^\s/@]{{1,300}}@)?(?P<host>{_NAME})", re.IGNORECASE)
_LABEL = re.compile(
    rf"(?:\b|_)(?:host|hostname)[\"']?\s{{0,3}}[:=]\s{{0,3}}[\"']?(?P<host>{_NAME})(?![\w(/])", re.IGNORECASE
)
_PROMPT = re.compile(
    rf"(?<![\w.+%@-])(?P<user>[a-z_][\w.-]{{0,31}})@(?P<host>{_NAME})"
    r"(?=:[~/]|[ ]{1,3}[~/\w.-]{1,80}\][#$]|[ ]{1,3}[~/\w.+-]{1,80}[ \n]%(?:[ \n]|\Z)|[#$>]\s)"
)
_MAC = re.compile(
    rf"^(?:\([\w.-]{{1,40}}\) )?(?P<host>{_NAME}):[~/\w.+-]{{1,80}} (?P<user>[a-z_][\w.-]{{0,31}})\$ ",
    re.MULTILINE,
)
"""The prompt of bash on macOS: ``Annas-MacBook:shop anna$``."""
_SYSLOG = re.compile(
    rf"^[ ]{{0,8}}(?:[A-Z][a-z]{{2}}[ ]{{1,2}}\d{{1,2}} \d\d:\d\d:\d\d|(?P<iso>\d{{4}}-\d\d-\d\dT[\d:.,]{{8,20}}(?:Z|[+-]\d\d:?\d\d)?))"
    rf" (?P<host>{_NAME}) (?=[\w./@()-]{{1,64}}(?:\[\d{{1,9}}\])?:)",
    re.MULTILINE,
)
_UNAME = re.compile(rf"\bLinux (?P<host>{_NAME}) \d+\.\d+\.\d")
_PLAY = re.compile(
    rf"^(?:ok|changed|fatal|failed|skipping|unreachable): \[(?P<host>{_NAME})[\] ]", re.MULTILINE
)
_ENDINGS = (".internal", ".intranet", ".corp", ".lan", ".localdomain")
_PRIVATE = re.compile(
    r"(?<![\w./@:-])(?P<host>[A-Za-z0-9][A-Za-z0-9-]{0,62}\.(?:[A-Za-z0-9-]{1,63}\.){0,6}(?:internal|intranet|corp|lan|localdomain))(?![\w.(-])"
)
_KNOWN = re.compile(
    r"(?:localhost|host\.docker\.internal|metadata\.google\.internal|example\.(?:com|org|net)|(?:.*\.)?(?:github|gitlab|bitbucket|"
    r"githubusercontent|npmjs|pypi|pythonhosted|debian|ubuntu|docker|google|googleapis|microsoft|amazonaws|cloudflare|python|golang|"
    r"rust-lang|crates|kubernetes|k8s|w3|schema|mozilla|apache|json-schema|quay|ghcr|gcr|huggingface|openai|anthropic|opencode|"
    r"stackoverflow|wikipedia)\.[a-z]{2,6}|[\d.]+|v?\d[\d.]*(?:[.-]?(?:rc|beta|alpha|dev)\.?\d*)?|v\d+|REDACTED.*|(?:address|host)-\d.*|"
    r".*\.(?:py|js|ts|sh|md|json|ya?ml|toml|txt|log|conf|go|rs|c|h)|.*mail\.invalid)\Z",
    re.IGNORECASE,
)  # fmt: skip
_COMMON = frozenset(
    """
    a access alias all an and api app application at backend bastion beta bin box cache canary client cloud cluster cmd config
    connect connection connections container daemon data database db default demo dev development dir docker domain edge elastic
    error etcd failed failure file files for frontend from gateway git grafana group gw home host hostname hosts http https image in
    index info instance into invalid is it jump jumphost kafka key keys lab latest lb live local log login machine main master
    memcached minio mongo mongodb mysql name next nfs nginx no node nodes not of on or other path pg pod pods port postgres
    postgresql prod production prometheus proxy rabbitmq redis registry remote replica root router search secondary server
    servers service services session shell site sql ssh staging standby state storage store sudo system target test testing the
    this to traefik tunnel unknown user username vault via vm web with worker workers you your
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
"""Names that many hosts and containers have, and texts about anything else too: they tell nobody where something is."""
_ATTRIBUTE = re.compile(
    r"(?:self|cls|this|super|args|opts?|options|params?|props|kwargs|config|cfg|conf|settings|environ|process|os|ctx|context|"
    r"req|request|res|event|obj|parsed|window|document|location)\.[A-Za-z][A-Za-z0-9.-]*\Z|"
    r"[A-Za-z0-9.-]{1,200}\.(?:host|hostname|server|address|addr|ip|url|uri|endpoint|domain|value|values|config|settings|env|options|get|"
    r"keys|length|split|strip|lower|[a-z]{1,30}[A-Z][A-Za-z0-9]{0,60})\Z"
)
"""What code writes where it reads a value out of something (``self.host``, ``cfg.db.host``): no host's name."""
_QUOTES = ("'", '"', "`")
_MIXED = re.compile(r"(?=.*[A-Za-z])(?=.*[\d.])")


def hosts(text: str, command: bool) -> Iterator[Found]:
    """Names of hosts as commands, logins, prompts, lines of the system log and addresses give them; public services stay.

    What only may be a host (behind ``-h``, in a URL) must look like one: ``gpu7``, ``db.shop.lan``. A bare word there is
    mostly the name of a container, which says no more than the service that it runs.
    """
    places: list[tuple[int, str]] = []

    def look(pattern: re.Pattern[str], *, sure: bool, low: int = 0, high: int | None = None) -> None:
        for match in pattern.finditer(text, low, len(text) if high is None else high):
            named = sure or bool(match.groupdict().get("login"))
            name = match["host"].rstrip(".-")
            if not named and _in_code(text, match.start("host"), name):
                continue
            machine = pattern is _URL and _is_machine(name)
            if (named and match.groupdict().get("iso") is None) or machine or _MIXED.match(name):
                places.append((match.start("host"), name))

    if "://" in text:
        look(_URL, sure=False)
    if command or "ssh" in text or "ping" in text:
        look(_REMOTE, sure=command)
    if command:
        for line in _COPY.finditer(text):
            look(_COPIED, sure=True, low=line.start() + 3, high=line.end())
        look(_CLIENT, sure=False)
        look(_FETCH, sure=False)
    if "@" in text:
        look(_PROMPT, sure=True)
        for match in _LOGIN.finditer(text):
            name = match["host"].rstrip(".-")
            if match["login"] in _NO_PERSON or (command and _MIXED.match(name)):
                places.append((match.start("host"), name))
    if "$ " in text and not command:
        look(_MAC, sure=True)
    if "host" in text or "HOST" in text:
        look(_LABEL, sure=False)
    if not command:
        look(_SYSLOG, sure=True)
        look(_PLAY, sure=True)
    if "Linux " in text:
        look(_UNAME, sure=True)
    if any(ending in text for ending in _ENDINGS):
        look(_PRIVATE, sure=False)
    for start, name in places:
        if len(name) >= 2 and name.casefold() not in _COMMON and not _KNOWN.match(name):
            yield Found(start, start + len(name), "host", name)


_MACHINES = frozenset(
    """
    book box desktop imac laptop mac machine mini nas notebook nuc pc pi raspberrypi srv thinkpad vm vps workstation
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
"""Parts of names that only machines have."""


def _is_machine(name: str) -> bool:
    """Whether a bare word in an address is a machine's name and not a container's: ``anna-vps``, ``shop-nas``."""
    parts = name.casefold().split("-")
    return not _MACHINES.isdisjoint(parts) and any(part not in _MACHINES | _COMMON for part in parts)


def _in_code(text: str, start: int, name: str) -> bool:
    """Whether a word with a dot, in no quotation marks, is a piece of code that reads an attribute."""
    return text[max(0, start - 1) : start] not in _QUOTES and _ATTRIBUTE.match(name) is not None


_SERIES = re.compile(r"(?P<stem>[A-Za-z][A-Za-z-]+)\d{1,4}\Z")
_SHORT = re.compile(r"(?P<label>[A-Za-z][A-Za-z-]*\d[A-Za-z0-9-]*)\.")


def also(names: Iterable[str]) -> tuple[set[str], re.Pattern[str] | None]:
    """What known hosts are called besides: the first part of a name with a domain, and a pattern for others of a series.

    Who knows ``gpu7`` knows that ``gpu8`` is a host too.
    """
    short: set[str] = set()
    stems: set[str] = set()
    tails: set[str] = set()
    for name in names:
        label = _SHORT.match(name)
        if label is not None and not _KNOWN.match(label["label"]):
            short.add(label["label"])
        series = _SERIES.match(label["label"] if label is not None else name)
        if series is not None:
            stems.add(series["stem"])
            tails.add(name[len(label["label"]) :] if label is not None else "")
    if not stems:
        return short, None
    joined = "|".join(map(re.escape, sorted(stems)))
    ends = "|".join(map(re.escape, sorted(tails - {""}, key=len, reverse=True)))
    return short, re.compile(rf"(?<![A-Za-z0-9])(?:{joined})\d{{1,4}}(?:{ends})?(?![A-Za-z0-9])")


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
