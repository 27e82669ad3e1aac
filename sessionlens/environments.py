"""Which environment a target belongs to, with the reason in words (CONTRACT §5 *Production*, §1 *target*).

What is named decides: a word such as ``staging`` in the host, context, namespace, path, project, branch,
profile or a flag; what nothing names is production when it is remote, system configuration, a live
database, a cluster object or a deploy; *unknown* when the command reaches its target through a pointer that
the log does not show (the current cluster context, a cloud client's default project, a host in a variable).
``sessionlens.toml`` wins over all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from sessionlens.cache import lazy

if TYPE_CHECKING:
    from sessionlens.targets import Confidence, Environment, Target


class EnvironmentNames(msgspec.Struct, frozen=True, kw_only=True):
    """Glob patterns (``*``, ``?``, ``[…]``, without regard to case) of the names in one environment."""

    hosts: tuple[str, ...] = ()
    """Hosts as written or by their short name; ``local`` names the agent's own machine."""
    paths: tuple[str, ...] = ()
    """Paths; a pattern also covers everything below it."""
    contexts: tuple[str, ...] = ()
    """Cluster contexts, cloud projects, profiles and accounts."""
    namespaces: tuple[str, ...] = ()
    """Kubernetes namespaces, compose projects."""
    branches: tuple[str, ...] = ()
    """Branches whose push belongs to this environment."""
    databases: tuple[str, ...] = ()
    """Databases by name."""


class EnvironmentSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The table ``[environments]`` of ``sessionlens.toml``: names that belong to an environment for sure."""

    production: EnvironmentNames = EnvironmentNames()
    """Names that are production, whatever else they look like."""
    staging: EnvironmentNames = EnvironmentNames()
    """Names that are staging."""
    development: EnvironmentNames = EnvironmentNames()
    """Names that are development."""
    local: EnvironmentNames = EnvironmentNames()
    """Names that are the agent's own machine."""


DEFAULT = EnvironmentSettings()
"""No names given."""

_WORDS: dict[str, Environment] = {
    **dict.fromkeys(
        (
            "prod", "production", "prd", "prods", "prodn", "prodenv", "produccion", "produktion", "produktiv",
            "producao", "produzione", "productie", "produkcja", "生产", "本番", "운영",
        ),
        "production",
    ),
    **dict.fromkeys(
        (
            "preprd", "ppe", "ppd", "pprod", "staging", "stage", "stg", "stag", "stging", "uat", "preprod", "preproduction", "nonprod",
            "nonproduction", "qa", "qas", "acceptance", "acpt", "preview", "previews", "integration", "demo",
            "perf", "loadtest", "rc", "homolog", "homologacao", "recette", "hml", "abnahme", "preproduccion",
            "预发", "预发布", "検証", "ステージング", "스테이징",
        ),
        "staging",
    ),
    **dict.fromkeys(
        (
            "dev", "devel", "develop", "development", "developer", "sandbox", "sbx", "sandboxes", "test", "tst",
            "testing", "ci", "playground", "scratch", "throwaway", "entwicklung", "desarrollo", "pruebas",
            "lab", "e2e", "testenv", "devenv", "desenvolvimento", "测试", "开发", "開発", "テスト", "개발",
        ),
        "development",
    ),
    **dict.fromkeys(
        (
            "local", "localhost", "localdev", "minikube", "kind", "k3d", "colima", "orbstack", "vagrant",
            "multipass", "laptop", "本地", "ローカル", "로컬",
        ),
        "local",
    ),
}  # fmt: skip
"""Words that name an environment when they stand alone in a name (``web-stg-2``, ``acme.dev.example.org``)."""

_ONLY_CLUSTERS = frozenset({"kind"})
"""Words that name an environment in a cluster context only."""
_WEAK_IN_PATHS = frozenset({"local", "stage", "ci", "kind", "demo", "preview", "integration", "lab", "scratch",
                            "rc", "perf", "test", "testing", "developer", "laptop", "previews"})  # fmt: skip
"""Words that are so common in paths that they count only where a place for environments is named by them."""

_ENVIRONMENTS: tuple[Environment, ...] = ("production", "staging", "development", "local")

_NOT_PROD = lazy(r"(?:non|pre|not|no)[-_. ]?prod(?:uction)?(?![a-z])", re.IGNORECASE)
_SPLIT = lazy(r"[^0-9a-zA-Z\u00c0-\U0010ffff]+")
_CAMEL = lazy(r"(?<=[a-z0-9])(?=[A-Z])")
_JOINED = lazy(
    r"(prod|prd|stg|staging|stage|uat|qa|dev|test|tst)"
    r"(?:db|web|www|app|api|srv|server|box|vm|host|node|cluster|env|site|machine|system|k8s|gke|eks|aks)s?"
)
"""Names that join the environment with the role of a machine: ``proddb``, ``devbox``."""
_CLUSTERS = lazy(
    r"(?:kind-.+|minikube.*|docker-desktop|docker-for-desktop|k3d-.+|rancher-desktop|colima.*|orbstack"
    r"|microk8s|k3s-local|default-local|lima-.+)",
    re.IGNORECASE,
)
_LOOPBACK = lazy(
    r"(?:localhost|127(?:\.\d{1,3}){1,3}|::1|\[::1\]|0\.0\.0\.0|host\.docker\.internal"
    r"|.+\.localhost|localhost\.localdomain)",
    re.IGNORECASE,
)
_ADDRESS = lazy(r"\[?[0-9a-f]{0,4}:[0-9a-f:.]+\]?|\d{1,3}(?:\.\d{1,3}){3}")
OF_SERVER = "a tool of another server that names no host"
"""Why the environment of what such a tool acts on is not known."""
_VARIABLE = lazy(r"\$|<[^<>]+>|\{\}|\{\{|`|%[A-Za-z_]+%")
_DEVELOPER_MACHINES = lazy(
    r"(?:vagrant|multipass|wsl(?:\.exe)?|limactl|lima|colima|orb|orbctl|devcontainer|distrobox|toolbox"
    r"|minikube|docker-machine)(?:\s|$)"
)
_REMOTE = lazy(
    r"(?:ssh|mosh|autossh|sshpass|plink|ansible|rsh|pssh|pdsh|clush|salt|winrs|gcloud|aws|az|fly|flyctl|heroku|tsh|teleport)\b"
)
_SYSTEM_PATH = lazy(
    r"/(?:etc|boot|lib/systemd|usr/lib/systemd|usr/local/lib/systemd|usr/local/etc|run/systemd|proc/sys|sys"
    r"|opt/homebrew/etc|var/spool/cron|Library/LaunchDaemons|usr/local/openresty)(?:/|$)"
    r"|[A-Za-z]:[\\/]+Windows[\\/]",
    re.IGNORECASE,
)
_SCRATCH_PATH = lazy(r"(?:/private)?/(?:tmp|var/tmp|dev/shm|dev/null|run/user)(?:/|$)|\$\{?TMPDIR|\$\(mktemp")
_OWN_PATH = lazy(
    r"~|\$\{?HOME\b|/home/|/Users/|/root(?:/|$)|/workspaces?(?:/|$)|/repo(?:/|$)|/app(?:/|$)|/project(?:/|$)"
    r"|/testbed(?:/|$)|\$\{?PWD\b|[A-Za-z]:[\\/]+Users[\\/]|/mnt/[a-z]/|/code(?:/|$)|/src(?:/|$)"
)
_BACKUP = lazy(
    r"(?:\.(?:bak|bck|backup|orig|old|save|saved|prev|previous|dist|rpmsave|rpmnew|dpkg-old|tmp|swp)"
    r"(?:[-._]?\w*)?|~|[-._](?:backup|bak|old|orig)(?:[-._]?\d[\w:.-]*)?|\.\d{8}(?:[-_T]?\d{4,6})?"
    r"|\.(?:\$\(|`)date.*|\.pre[-_]\w+)$",
    re.IGNORECASE,
)
_BACKUP_FOLDER = lazy(r"(?:^|/)\.?(?:backups?|bak|snapshots?|archive)(?:/|$)", re.IGNORECASE)

_PUBLISHERS = frozenset({
    "vercel", "vc", "now", "netlify", "ntl", "wrangler", "firebase", "surge", "heroku", "fly", "flyctl",
    "railway", "gh-pages", "eb", "cap", "mina", "dep", "deployer", "kamal", "dokku", "serverless", "sls",
    "amplify", "copilot", "ansible-playbook", "ansible", "clasp", "fab", "render", "zeabur", "deployctl",
    "eas", "fastlane", "pulumi", "terraform", "tofu", "terragrunt", "cdk", "sam", "nixops", "colmena",
    "nomad", "waypoint", "ecs-cli", "ufo", "scalingo", "clever", "platform", "upsun", "shipit", "envoy",
})  # fmt: skip
"""Programs whose deploy goes to the place that its own configuration names, not to a current context."""
_POINTED_CLIENTS = frozenset({
    "aws", "gcloud", "gsutil", "bq", "az", "oci", "doctl", "ibmcloud", "aliyun", "tccli", "linode-cli",
    "hcloud", "kubectl", "oc", "helm", "helmfile", "kustomize", "flux", "argocd", "k9s", "eksctl", "rosa",
    "yc", "scw", "ovhcloud", "openstack", "govc", "cf", "istioctl", "linkerd", "skaffold", "tilt", "velero",
    "s3cmd", "rclone", "mc", "confluent", "consul", "vault", "etcdctl", "databricks", "snowsql",
})  # fmt: skip
"""Clients that act on what a current context, project or profile points at when they name none."""
_SYSTEM_PROGRAMS = frozenset({
    "systemctl", "service", "rc-service", "rc-update", "update-rc.d", "chkconfig", "invoke-rc.d", "nginx",
    "apachectl", "apache2ctl", "httpd", "a2ensite", "a2dissite", "a2enmod", "a2dismod", "supervisorctl",
    "sv", "initctl", "s6-svc", "monit", "haproxy", "caddy", "postfix", "named", "rndc", "sshd", "sysctl",
    "sshd-keygen", "update-grub", "grub-mkconfig", "visudo", "useradd", "usermod", "userdel", "adduser",
    "deluser", "groupadd", "passwd", "chpasswd", "timedatectl", "hostnamectl", "localectl", "netplan",
    "nmcli", "iptables", "ip6tables", "nft", "ufw", "firewall-cmd", "mount", "umount", "swapon", "swapoff",
    "crontab", "certbot", "modprobe", "update-alternatives", "setenforce", "semanage", "logrotate",
})  # fmt: skip
"""Programs that configure or drive the machine's own system."""
_OWN_SERVICES = frozenset({"brew", "launchctl", "pm2", "forever", "nodemon", "circusctl", "overmind", "foreman",
                           "honcho", "tmux", "screen", "docker", "podman", "docker-compose"})  # fmt: skip
"""Service managers of a developer's own machine or account."""
_CODE_HOSTS = frozenset({"gh", "glab", "hub", "tea", "jira"})
"""Clients of places where work on code is talked about: what they change there runs nowhere."""
_MERGE = lazy(r"\b(?:pr|mr) (?:merge|accept)\b|/merges?\b")
"""What a client of a code host is told in order to merge: as good as a push to the branch."""
_TEXT_TOOLS = frozenset({"sed", "perl", "awk", "gawk", "echo", "printf", "cat", "tee", "grep", "rg", "jq", "yq",
                         "git", "python", "python3", "node", "ruby", "ed", "ex", "patch", "find"})  # fmt: skip
"""Programs whose further words are text or programs, not names of environments."""

_Found = tuple["Environment", str, "Confidence"]


class _Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What :func:`environment` was asked, with the host worked out."""

    target: Target
    host: str | None
    via: tuple[str, ...]
    assigned: tuple[str, ...]
    words: tuple[str, ...]
    effect: str
    directory: str | None


def environment(
    target: Target,
    *,
    via: tuple[str, ...] = (),
    words: tuple[str, ...] = (),
    effect: str = "none",
    directory: str | None = None,
    settings: EnvironmentSettings = DEFAULT,
) -> _Found:
    """The environment of a target, the reason in words, and how sure that is.

    ``high`` where a name says so, ``medium`` for the contract's default of what nothing names, ``low`` for
    targets that are reached through a pointer the log does not show. ``directory`` is the session's working
    copy; ``words`` are the command's own, without its wrappers; assignments that hold for it may stand before
    them (``RAILS_ENV=production``, ``PWD=/srv/staging/app`` for the folder it runs in).
    """
    first = next((at for at, word in enumerate(words) if not _ASSIGNMENT.match(word)), len(words))
    asked = _Asked(
        target=target,
        host=_host(target, via),
        via=via,
        assigned=words[:first],
        words=words[first:],
        effect=effect,
        directory=directory,
    )
    return _set(target, asked.host, settings) or _named(asked) or _default(asked)


def named(reason: str) -> bool:
    """Whether the reason that :func:`environment` gave is a name, or a setting, and no default."""
    by_name = " names " in reason and " names no " not in reason
    return by_name or reason.endswith("sessionlens.toml")


def scratch(target: Target) -> bool:
    """Whether a file target is a scratch file or a backup copy (CONTRACT §5: no production edits)."""
    if target.kind != "file":
        return False
    name = target.name.strip("\"'")
    return bool(
        _SCRATCH_PATH.match(name) or _BACKUP.search(name) or _BACKUP_FOLDER.search(name.rpartition("/")[0])
    )


def shared(target: Target) -> bool:
    """Whether a target of unknown environment is a shared one: a cluster, a cloud, a host in a variable.

    The others of unknown environment are local, and *a local target of unknown environment never fires*.
    """
    if target.host is not None and not is_loopback(target.host):
        return True
    if target.kind in ("k8s", "cloud"):
        return not _CLUSTERS.fullmatch(target.context or "")
    if target.kind == "database":
        return bool(_VARIABLE.search(target.name))
    if target.kind == "url":
        return not is_loopback(url_host(target.name) or "localhost")
    return target.kind == "host" and bool(target.name) and not is_loopback(target.name)


def is_loopback(host: str) -> bool:
    """Whether a host name is the machine that it is named on."""
    return _LOOPBACK.fullmatch(host.strip()) is not None


_KERNEL_KEY = lazy(r"(?:net|vm|kernel|fs|user|dev|debug|abi)[./][\w./*-]+")


def subject(target: Target) -> str:
    """What of a host a target of kind ``host`` is about: a kernel key, a time zone; empty for the host itself."""
    name, host = target.name.strip(), (target.host or "").rpartition("@")[2]
    if target.kind != "host" or not name or name.rpartition("@")[2].lower() == host.lower():
        return ""
    return name if host or _KERNEL_KEY.match(name) or is_loopback(name) else ""


def url_host(url: str) -> str | None:
    """The host of an address such as ``https://user@host:8443/path``, ``host:8080`` or ``:3000`` (localhost)."""
    rest = url.strip().strip("\"'")
    rest = rest.partition("://")[2] or rest
    rest = rest[:500].partition("/")[0].partition("?")[0].rpartition("@")[2]
    if rest.startswith("["):
        return rest[1:].partition("]")[0] or None
    name = rest.partition(":")[0] if rest.count(":") <= 1 else rest
    return name.lower() or ("localhost" if rest.startswith(":") else None)


# -- what is named ------------------------------------------------------------------------------------


def _host(target: Target, via: tuple[str, ...]) -> str | None:
    """The host a target is on: its own, an address', or ``None`` for the agent's own machine."""
    host = target.host
    if host is None and target.kind == "host" and target.name and not subject(target):
        host = target.name
    if target.kind == "url":
        named = url_host(target.name)
        if named and (host is None or not is_loopback(named)):
            host = named
    if host is not None and is_loopback(host):
        # ``ssh web1 'ssh localhost …'`` stays on web1.
        around = [w for w in via if _is_remote((w,)) and w.split()[0].rsplit("/", 1)[-1] in _SHELLS_AWAY]
        if around:
            host = around[-1].split()[-1]
        elif not _is_remote(via):
            return None
    return host.rpartition("@")[2].strip("[]") if host else None


def _is_remote(via: tuple[str, ...]) -> bool:
    return any(_REMOTE.match(wrapper.split("/")[-1]) and not _to_itself(wrapper) for wrapper in via)


def _to_itself(wrapper: str) -> bool:
    """Whether a connection leads to the machine it starts on, as into a virtual machine's forwarded port."""
    program, *words = wrapper.split()
    if program.rsplit("/", 1)[-1] not in _SHELLS_AWAY:
        return False
    return any(is_loopback(bracketed(word.rpartition("@")[2])) for word in words[-3:])


_SHELLS_AWAY = frozenset({"ssh", "sshpass", "mosh", "autossh", "slogin"})


def bracketed(host: str) -> str:
    """A host without the scheme, brackets and port that ``ssh://user@host:22`` and ``[::1]:22`` put around it."""
    bare = host.partition("://")[2] or host
    if bare.startswith("["):
        return bare[1:].partition("]")[0]
    return bare.partition(":")[0] if bare.count(":") == 1 else bare


def _set(target: Target, host: str | None, settings: EnvironmentSettings) -> _Found | None:
    """What ``sessionlens.toml`` says. The narrower name wins: database, path, branch, namespace, context, host."""
    if settings == DEFAULT:
        return None
    named: tuple[tuple[str, str, str | None], ...] = (
        ("databases", "database", target.name if target.kind == "database" else None),
        ("paths", "path", target.name if target.kind in ("file", "compose") else None),
        ("branches", "branch", target.name if target.kind == "repository" else None),
        ("namespaces", "namespace", target.namespace),
        ("contexts", "context", target.context),
        ("hosts", "host", host or "local"),
    )
    for field, label, value in named:
        if not value:
            continue
        for name in _ENVIRONMENTS:
            for pattern in getattr(getattr(settings, name), field):
                if _globbed(value, pattern, path=field == "paths", host=field == "hosts"):
                    return name, f"{label} {value} is {name} by sessionlens.toml", "high"
    return None


def _globbed(value: str, pattern: str, *, path: bool, host: bool) -> bool:
    value, pattern = value.casefold(), pattern.casefold()
    if path:
        pattern = pattern.rstrip("/")
        return fnmatchcase(value, pattern) or fnmatchcase(value, f"{pattern}/*")
    return fnmatchcase(value, pattern) or (host and fnmatchcase(value.partition(".")[0], pattern))


def _named(asked: _Asked) -> _Found | None:
    """What a name says, the most specific place first."""
    own = _word(asked.target.name, "name") if asked.target.kind == "cloud" else None
    for place, text, kind in _places(asked):
        found = _word(text, kind)
        if found is not None:
            name, word = found
            if own is not None and own[0] == "production" and name != "production":
                # ``--profile dev`` and a bucket of production: the thing that changes is what counts.
                return "production", f"name {_short(asked.target.name)} names {own[1]}", "medium"
            sure: Confidence = "medium" if kind in ("path", "name", "word") else "high"
            return name, f"{place} {_short(text)} names {word}", sure
    return None


def _places(asked: _Asked) -> Iterator[tuple[str, str, str]]:
    """Places where an environment may be named: label, text, and how the text is to be read."""
    target, host, words = asked.target, asked.host, asked.words
    # What is installed for a folder of this machine runs nowhere, however the folder is called: ``envs/prod``.
    at_home = (
        target.kind == "package"
        and asked.effect in ("install", "configure")
        and host is None
        and not (_is_entered(asked.via) or any(map(_IN_CLUSTER.match, asked.via)))
    )
    if not at_home:
        yield from _flags((*asked.assigned, *words), target)
    for wrapper in asked.via:
        yield from _wrapped(wrapper)
    if at_home:
        return
    if target.namespace:
        yield "namespace", target.namespace, "scope"
    if target.kind == "database" and target.name:
        yield "database", target.name, "scope"
    if target.kind == "repository" and target.name:
        yield "branch", target.name, "branch"
    if target.kind in ("file", "compose") and target.name:
        yield "path", target.name, "path"
    if target.kind == "url" and (part := _URL_PART.search(target.name[:2_000])) is not None:
        yield "address", part["name"] or part["value"], "scope"
    if host and not (_ADDRESS.fullmatch(host) or _VARIABLE.search(host)):
        yield "host", host, "host"
    if target.context:
        yield "context", target.context, "cluster" if target.kind == "k8s" else "scope"
    if target.kind in ("service", "container", "k8s", "cloud", "queue", "cron", "package") and target.name:
        yield "name", target.name, "name"
    if words and words[0] not in _TEXT_TOOLS and target.kind not in ("database", "service", "process"):
        yield from _arguments(words, asked.effect, target)
    if target.kind in ("compose", "container", "k8s", "cloud", "process", "service"):
        for word in asked.assigned:
            if word.startswith("PWD="):
                yield "folder", word[4:], "path"


_URL_PART = lazy(
    r"/(?:env|envs|environments?|stages)/(?P<name>[A-Za-z][\w-]{1,40})(?=[/?#]|$)|[?&](?:env|environment|stage)=(?P<value>[A-Za-z][\w-]{1,40})",
    re.IGNORECASE,
)
"""How the address of an interface names the environment that it acts on."""
_ENVIRONMENT_FLAGS = frozenset({
    "--env", "--environment", "--stage", "--profile", "--workspace", "--stack", "--target", "--tier",
    "--context", "--kube-context", "--cluster", "--project", "--account", "--subscription", "--namespace",
    "--app", "--remote", "--config", "--settings", "--inventory", "--limit", "--values", "--env-file",
    "--var-file", "--file", "--kubeconfig", "--branch", "--site", "--alias", "--resource-group", "--org",
    "--configuration", "--mode", "--dbname", "--database", "--host", "--server", "--region-env",
    "--destination", "--slot", "--channel", "--service", "--kustomize", "--filename", "--project-name",
    "--environment-name", "--function-name", "--stack-name", "--database-url", "--url", "--uri", "--overlay",
})  # fmt: skip
_ENVIRONMENT_VARIABLE = lazy(
    r"(?:[A-Z0-9]+_)*(?:ENV|ENVIRONMENT|STAGE|PROFILE|PROFILES?_ACTIVE|CONTEXT|PROJECT|TARGET|TIER|WORKSPACE"
    r"|SETTINGS(?:_MODULE)?|HOST|SERVER|KUBECONFIG|DATABASE_URL|DB_URL|NAMESPACE|APP|DATABASE|PGHOST"
    r"|PGDATABASE|PWD|DB_NAME|DB_HOST|DOCKER_HOST)$"
)
_ASSIGNMENT = lazy(r"[A-Za-z_]\w*=")


def _flags(words: tuple[str, ...], target: Target) -> Iterator[tuple[str, str, str]]:
    """Options and variables that are there to name an environment."""
    for index, word in enumerate(words[:200]):
        if len(word) > 300:
            continue
        name, equals, value = word.partition("=")
        if name == "PWD":
            # The folder it runs in says less than what the command names.
            continue
        if equals and _ENVIRONMENT_VARIABLE.fullmatch(name.lstrip("-").replace("-", "_").upper()):
            if name.isupper() or name.startswith("-"):
                yield name, value, "path" if "/" in value else "scope"
        elif name in _ENVIRONMENT_FLAGS or (word == "-e" and target.kind == "cloud"):
            text = value if equals else (words[index + 1] if index + 1 < len(words) else "")
            if text in (target.context, target.host):
                # Named as the target's own already, where narrower names come first.
                continue
            if text and not text.startswith("-") and len(text) <= 300 and " " not in text:
                yield name, text, "cluster" if "context" in name else "scope"
        elif name in ("--prod", "--production", "--live") and _names_place(words):
            yield "option", "production", "scope"


def _names_place(words: tuple[str, ...]) -> bool:
    """Whether ``--prod`` of this program names a place, not the kind of a build (npm install ``--production``)."""
    return bool(words) and words[0] not in (
        "npm", "yarn", "pnpm", "bun", "ng", "composer", "bundle", "vite", "webpack", "next", "nx", "npx",
    )  # fmt: skip


def _wrapped(wrapper: str) -> Iterator[tuple[str, str, str]]:
    """What a wrapper names: variables before the command, the container entered, a developer's machine."""
    if _DEVELOPER_MACHINES.match(wrapper):
        yield "wrapper", "local" if wrapper.startswith(("minikube", "colima")) else "development", "scope"
        return
    parts = wrapper[:1000].split()
    for part in parts:
        name, equals, value = part.partition("=")
        if equals and _ENVIRONMENT_VARIABLE.fullmatch(name):
            yield name, value, "path" if "/" in value else "scope"
    if parts and parts[0] in ("docker", "podman", "kubectl", "docker-compose", "oc"):
        for index, part in enumerate(parts[1:], 1):
            if part in ("--context", "-n", "--namespace") and index + 1 < len(parts):
                yield part, parts[index + 1], "cluster" if part == "--context" else "scope"
            elif part in ("-f", "--file", "-p", "--project-name") and index + 1 < len(parts):
                yield part, parts[index + 1], "path"
        yield "container", parts[-1], "name"


def _arguments(words: tuple[str, ...], effect: str, target: Target) -> Iterator[tuple[str, str, str]]:
    """Words of commands whose arguments are names of files, hosts, stages: the loosest of all places."""
    deploying = effect in ("deploy", "restart", "start", "reload", "migrate", "scale", "stop", "configure",
                           "transfer", "create", "delete", "check")  # fmt: skip
    if not deploying or target.kind in ("url", "container", "package"):
        return
    for word in words[1:60]:
        if len(word) > 200 or word.startswith("--") or _NO_NAME.search(word):
            continue
        if target.kind == "compose" and not re.search(r"\.(?:ya?ml|env)|^\.env", word):
            continue
        yield "argument", word, "path" if "/" in word or "." in word else "word"


_NO_NAME = lazy(r"[\s{}\"'`]|:(?!//)|image=")
"""Words that hold text, or the reference of an image, whose tag names a build and no environment."""


_REVIEW = lazy(r"(?:.+-)?(?:pr|mr|review)-?\d+", re.IGNORECASE)
"""Environments of a single merge request."""


def _word(text: str, kind: str) -> tuple[Environment, str] | None:
    """The environment that a text names as a whole word of it, and the word."""
    return _word_cached(text[:500], kind)


@lru_cache(maxsize=8192)
def _word_cached(text: str, kind: str) -> tuple[Environment, str] | None:
    if kind == "cluster" and _CLUSTERS.fullmatch(text):
        return "local", text
    if _NOT_PROD.search(text):
        return "staging", _NOT_PROD.search(text).group()  # type: ignore[union-attr]
    if kind in ("scope", "branch", "cluster") and "live" in _tokens(text):
        return "production", "live"
    if kind == "scope" and _REVIEW.fullmatch(text):
        return "staging", text
    if kind == "branch":
        return _branch(text)
    if kind == "path":
        return _path_word(text)
    if kind == "host":
        return _host_word(text)
    tokens = list(_tokens(text))
    for token in tokens:
        found = _token(token)
        if found is None or (token in _ONLY_CLUSTERS and kind != "cluster"):
            continue
        if kind == "word" and token in _WEAK_IN_PATHS and len(tokens) > 1:
            continue
        if kind == "name" and token.rstrip("0123456789") in _WEAK_IN_NAMES:
            continue
        return found, token
    return None


def _tokens(text: str) -> Iterator[str]:
    for piece in _SPLIT.split(text):
        for token in _CAMEL.split(piece) if not piece.islower() else (piece,):
            if token:
                yield token.lower()


def _token(token: str) -> Environment | None:
    found = _WORDS.get(token) or _WORDS.get(token.rstrip("0123456789"))
    if found is None and (joined := _JOINED.fullmatch(token.rstrip("0123456789"))):
        found = _WORDS[joined.group(1)]
    return found


def _branch(text: str) -> tuple[Environment, str] | None:
    name = text.removeprefix("refs/heads/").removeprefix("origin/")
    first = name.partition("/")[0].lower()
    if "/" in name and first in (
        "feature",
        "feat",
        "fix",
        "bugfix",
        "chore",
        "wip",
        "docs",
        "refactor",
        "test",
    ):
        return "development", first
    for token in _tokens(first if "/" in name else name):
        found = _token(token)
        if found is not None and (token == name.lower() or found != "local"):
            return found, token
    return None


_WEAK_IN_NAMES = frozenset({"kind", "ci", "rc", "preview", "demo", "lab", "integration", "local", "developer", "perf",
                            "scratch", "stage", "test", "testing", "e2e"})  # fmt: skip
"""Words that say what a service does more often than where it runs: ``demo``, ``test-runner``."""
_WEAK_IN_HOSTS = frozenset({"kind", "rc", "ci", "scratch", "developer", "perf"})
_WHOLE_LABELS = frozenset({"integration", "preview", "local", "testing"})
"""Words that name an environment only as a whole label of a host: not ``integration-hub``."""
_PUBLIC = lazy(
    r"(?:com|net|org|info|biz|io|co|de|dev|app|ai|cloud|eu|fr|uk|us|es|it|nl|pl|ru|cn|jp|kr|br|ch|at|se|no|fi|dk|be|ca|au|in|me|tech|xyz|sh)"
)


def _host_word(text: str) -> tuple[Environment, str] | None:
    labels = text.lower().rstrip(".").split(".")
    if labels[-1] in ("localhost", "localdomain") or (len(labels) == 2 and labels[-1] == "local"):
        # ``web5.acme.local`` is in a company's own domain.
        return "local", labels[-1]
    if len(labels) > 1 and labels[-1] == "test":
        return "development", "test"
    # The last label of a full name is a registry's (``fly.dev``), not an environment's; of a registered domain
    # only a name made for that tells (``acme-staging.com``).
    told = labels if len(labels) == 1 else labels[:-1]
    registered = len(labels) - 2 if len(labels) > 1 and _PUBLIC.fullmatch(labels[-1]) else -1
    best: tuple[Environment, str] | None = None
    for place, label in enumerate(told):
        tokens = list(_tokens(label))
        if place == registered and len(tokens) != 2:
            continue
        for token in tokens:
            found, bare = _token(token), token.rstrip("0123456789")
            if found is None or bare in _WEAK_IN_HOSTS or (bare in _WHOLE_LABELS and len(tokens) > 1):
                continue
            if found == "production":
                # Of two words the one that could hurt.
                return found, token
            best = best or (found, token)
    return best


_ENVIRONMENT_FOLDERS = frozenset({"env", "envs", "environments", "environment", "overlays", "overlay", "stages",
                                  "inventories", "inventory", "clusters", "group_vars", "host_vars", "stacks",
                                  "live", "deploy", "deployments", "values", "terraform", "config", "k8s",
                                  "kubernetes", "www", "srv", "sites", "vhosts", "apps", "helm", "infra",
                                  "environments.d"})  # fmt: skip
"""Folders whose children are often named after environments."""
_SITE = lazy(
    r"((?:[a-z0-9-]+\.){2,}(?!ya?ml$|json$|conf$|env$|toml$|ini$|cfg$|py$|js$|sh$|log$|local$|service$)[a-z]{2,10})(?:\.conf)?"
)
"""A folder or file named after a site: ``test.example.org``, ``shop.example.org.conf``."""
_WEAK_SUFFIXES = frozenset({"test", "stage", "demo", "preview", "lab"})
_HOMES = frozenset({"home", "Users"})


def _path_word(text: str) -> tuple[Environment, str] | None:
    segments = [
        part for part in re.split(r"[/\\:]+", text.partition("://")[2] or text) if part not in ("", ".", "..")
    ]
    absolute = text.startswith("/")
    last = len(segments) - 1
    for index, segment in enumerate(segments):
        before = segments[index - 1] if index else ""
        if (absolute and index == 0) or before in _HOMES or (before == "usr" and segment == "local"):
            continue
        if (site := _SITE.fullmatch(segment)) and (named := _host_word(site.group(1))):
            return named
        tokens = list(_tokens(segment))
        for token in tokens:
            found = _token(token)
            if found is None or token in _ONLY_CLUSTERS:
                continue
            plain = len(tokens) == 1
            if token in _WEAK_IN_PATHS:
                child = plain and before in _ENVIRONMENT_FOLDERS
                suffixed = index < last and not plain and token in _WEAK_SUFFIXES and tokens[-1] == token
                if not (child or suffixed or _environment_file(segment, token)):
                    continue
            elif index == last and not plain and segment.startswith("test"):
                continue
            return found, token
    return None


_ENVIRONMENT_FILE = lazy(
    r"(?:\.env|docker-compose|compose|values|settings|config|application|appsettings|fly|inventory|hosts"
    r"|vars|terraform|nginx|app|wrangler|pm2|ecosystem|database|\.?[a-z]{2,20})"
)


_LOCAL_FILE = lazy(
    r"(?:\.env|(?:docker-)?compose|values|settings|config|application|appsettings|\.?env\.\w+)"
)


def _environment_file(segment: str, token: str) -> bool:
    """Whether a file is one of several named after environments: ``.env.local``, ``values-test.yaml``."""
    stem = segment.lower()
    head, found, rest = stem.rpartition(token)
    if not found or not head or head[-1] not in ".-_":
        # ``test.tfvars``, ``stage.ini``
        return stem.startswith(f"{token}.") and rest in (
            ".tfvars",
            ".ini",
            ".env",
            ".yml",
            ".yaml",
            ".hosts",
            ".toml",
        )
    if token == "local" and not _LOCAL_FILE.fullmatch(head[:-1]):
        # ``rc.local`` and ``jail.local`` are settings of the system.
        return False
    return _ENVIRONMENT_FILE.fullmatch(head[:-1]) is not None and (not rest or rest.startswith("."))


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}…"


# -- what nothing names -------------------------------------------------------------------------------


def _default(asked: _Asked) -> _Found:
    target, host, words, effect = asked.target, asked.host, asked.words, asked.effect
    program = words[0].rsplit("/", 1)[-1] if words else ""
    merges = effect == "transfer" and _MERGE.search(" ".join(words[1:6])) is not None
    if program in _CODE_HOSTS and effect not in ("deploy", "restart", "start") and not merges:
        return "local", "an entry at a code host, which runs nowhere", "medium"
    if host is not None:
        if _VARIABLE.search(host):
            return "unknown", f"host {_short(host)} is a variable", "low"
        if target.kind == "url" and effect in ("read", "check", "none") and target.host is None:
            return "production", f"remote address {_short(host)}", "medium"
        return "production", f"remote host {_short(host)}", "medium"
    if _is_remote(asked.via):
        return "production", "through a remote connection", "medium"
    copied = effect == "transfer" and target.kind == "file" and is_loopback(target.host or "")
    if copied or any(_to_itself(wrapper) for wrapper in asked.via):
        return "local", "over a connection to the own machine", "medium"
    if target.kind == "k8s":
        if target.context:
            return "production", f"cluster context {_short(target.context)}", "medium"
        server = next(
            (after for before, after in pairwise(words) if before in ("--server", "--kube-apiserver")), ""
        )
        if server:
            return "production", f"server {_short(server)}", "medium"
        return "unknown", "whatever the current cluster context is", "low"
    if target.kind == "cloud":
        return _cloud(target, program, words, effect)
    if effect == "deploy" and target.kind not in ("compose", "container", "file"):
        if program in _POINTED_CLIENTS and program not in _PUBLISHERS and not target.context:
            return "unknown", "whatever the client's current project is", "low"
        if "localhost," in words or "--connection=local" in words:
            return "local", "inventory is the own machine", "high"
        return (
            "production",
            "a deploy that names no other environment",
            "medium" if program in _PUBLISHERS else "low",
        )
    if target.kind in ("file", "database") and (_is_entered(asked.via) or words[:2] in _CONTAINER_COPIES):
        return "local", "in a container on the own machine", "medium"
    if target.kind in ("file", "service", "database") and any(
        _IN_CLUSTER.match(wrapper) for wrapper in asked.via
    ):
        return "unknown", "in a pod of whatever the current cluster context is", "low"
    if target.kind == "file":
        return _file(target, asked.directory)
    if target.kind == "database":
        return _database(target, words, asked.directory)
    if target.kind == "repository":
        return _repository(target, words, effect)
    return _own_machine(target, program, words, asked.via)


def _cloud(target: Target, program: str, words: tuple[str, ...], effect: str) -> _Found:
    if target.context and not _VARIABLE.search(target.context):
        return "production", f"project {_short(target.context)}", "medium"
    if program in ("vercel", "vc", "netlify", "ntl") and effect == "deploy":
        return "staging", "a preview: only --prod puts out the live site", "high"
    if program in ("serverless", "sls") and effect == "deploy":
        return "development", "stage dev, the default of this tool", "medium"
    if program in ("terraform", "tofu", "terragrunt", "pulumi", "cdk", "sam"):
        return "production", "infrastructure that names no other environment", "low"
    if program in _PUBLISHERS or program not in _POINTED_CLIENTS:
        sure: Confidence = "medium" if target.name and not _VARIABLE.search(target.name) else "low"
        return "production", "a published application that names no other environment", sure
    return "unknown", "whatever project or profile the client points at", "low"


def _file(target: Target, directory: str | None) -> _Found:
    name = target.name.strip("\"'")
    if re.match(r"[a-z0-9]{2,10}://", name):
        return "production", "remote storage", "medium"
    if _SCRATCH_PATH.match(name):
        return "local", "scratch file", "high"
    if (
        directory
        and directory.rstrip("/")
        and (name == directory or name.startswith(directory.rstrip("/") + "/"))
    ):
        return "local", "in the working copy", "high"
    if _SYSTEM_PATH.match(name):
        return "production", "system configuration", "medium"
    if _OWN_PATH.match(name):
        return "local", "a file of the account", "medium"
    if not name.startswith(("/", "$")) and not re.match(r"[A-Za-z]:[\\/]", name):
        if _leaves(name):
            return "local", "beside the folder it is named from", "medium"
        return "local", "in the working copy", "high" if name else "low"
    return "unknown", "a path outside the working copy that names no environment", "low"


def _leaves(name: str) -> bool:
    """Whether a relative path ends outside the folder that it starts in: ``../shared/a.py``, ``src/../../b``."""
    depth = 0
    for part in name[:4_096].replace("\\", "/").split("/"):
        depth += -1 if part == ".." else 0 if part in ("", ".") else 1
        if depth < 0:
            return True
    return False


def _database(target: Target, words: tuple[str, ...], directory: str | None) -> _Found:
    name = target.name
    if words[:1] and words[0].rsplit("/", 1)[-1] in ("sqlite3", "duckdb", "sqlite-utils"):
        if _VARIABLE.search(name):
            return "local", "a database file of the own machine", "low"
        return _file(msgspec.structs.replace(target, kind="file"), directory)
    if _VARIABLE.search(name) or any(
        re.fullmatch(r'"?\$\{?\w*(?:URL|DSN|URI|HOST)\w*\}?"?', word) for word in words
    ):
        return "unknown", "the database is named by a variable", "low"
    if re.search(r"\.(?:db|sqlite3?|duckdb)$", name) or name == ":memory:":
        return _file(msgspec.structs.replace(target, kind="file"), directory)
    if target.host is not None or is_loopback(name) or any(_names_loopback(word) for word in words):
        return "local", "database on the own machine", "high"
    return "unknown", "a database that names no host", "low"


def _names_loopback(word: str) -> bool:
    """Whether a word of a client is the own machine's address: ``localhost``, ``--host=127.0.0.1``, a url."""
    value = word.partition("=")[2] if word.startswith("-") and "=" in word else word.removeprefix("-h")
    return len(value) < 300 and is_loopback((url_host(value) or "") if "://" in value else value)


_PAAS_REMOTES = frozenset({"heroku", "dokku", "piku", "caprover", "scalingo", "clever", "gigalixir"})


def _repository(target: Target, words: tuple[str, ...], effect: str) -> _Found:
    if effect != "transfer":
        return "local", "the working copy's own history", "high"
    for word in words[1:]:
        if word.lower() in _PAAS_REMOTES:
            return "production", f"a push to {word} deploys", "medium"
        found = _word(word, "word") if not word.startswith("-") and ":" not in word else None
        if found is not None and found[0] != "local":
            return found[0], f"argument {_short(word)} names {found[1]}", "medium"
    return "unknown", "a push; only the session shows whether it deploys", "low"


_CONTAINER_COPIES = (("docker", "cp"), ("podman", "cp"), ("nerdctl", "cp"))
_ENTERED = lazy(r"(?:docker|podman|nerdctl|docker-compose|lxc|incus|machinectl|nsenter|chroot)\b")
_IN_CLUSTER = lazy(r"(?:kubectl|oc|k3s kubectl)\b")


def _is_entered(via: tuple[str, ...]) -> bool:
    """Whether the command runs inside a container of the machine it is given on."""
    return any(_ENTERED.match(wrapper) for wrapper in via)


def _own_machine(target: Target, program: str, words: tuple[str, ...], via: tuple[str, ...]) -> _Found:
    kind = target.kind
    if _is_entered(via) and kind in ("service", "process", "host", "cron", "network"):
        return "local", "in a container on the own machine", "medium"
    if kind == "service":
        if "--user" in words or program in _OWN_SERVICES:
            return "local", "a service of the own account", "medium"
        if program in _SYSTEM_PROGRAMS or program.startswith("/etc/init.d"):
            return "production", "a service unit of the system", "medium"
        return "unknown", "a service of the own machine", "low"
    if kind in ("network", "cron") or program in _SYSTEM_PROGRAMS:
        return "production", "system configuration", "medium"
    if kind in ("container", "compose"):
        return "local", "containers of the own machine", "medium"
    if kind == "host":
        return "production", "the machine itself", "low"
    if kind in ("process", "package", "url"):
        return "local", "on the own machine", "medium"
    return "unknown", "nothing names it", "low"
