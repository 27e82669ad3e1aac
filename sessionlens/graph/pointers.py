"""What earlier commands of a session pointed clients at: the current context, project, profile, workspace.

``kubectl rollout restart deploy/cart`` acts wherever an earlier ``kubectl config use-context`` pointed. Kept in the
order of the log, for each machine that the clients run on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from sessionlens.cache import lazy
from sessionlens.environments import environment, named
from sessionlens.shell.command import Command, Outcome
from sessionlens.targets import EnvironmentSettings, Target, effective_host

_CLUSTER = frozenset({"kubectl", "oc", "helm", "helmfile", "k9s", "stern", "kustomize", "flux", "argo", "istioctl", "linkerd",
                      "velero", "skaffold", "kubectl-argo-rollouts", "kubectx", "kubens"})  # fmt: skip
_TOOLS = {
    **dict.fromkeys(_CLUSTER, "kubectl"),
    **dict.fromkeys(("gcloud", "gsutil", "bq", "firebase"), "gcloud"),
    **dict.fromkeys(("aws", "sam", "cdk", "eb", "copilot", "serverless", "sls", "s5cmd"), "aws"),
    **dict.fromkeys(("az", "func", "azd"), "az"),
    **dict.fromkeys(("terraform", "tofu", "terragrunt"), "terraform"),
    **dict.fromkeys(("docker", "docker-compose"), "docker"),
    **dict.fromkeys(("heroku",), "heroku"),
    **dict.fromkeys(("pulumi",), "pulumi"),
    **dict.fromkeys(("cf",), "cf"),
    **dict.fromkeys(("doctl",), "doctl"),
    **dict.fromkeys(("fly", "flyctl"), "fly"),
    **dict.fromkeys(("vercel", "vc"), "vercel"),
    **dict.fromkeys(("supabase",), "supabase"),
    **dict.fromkeys(("argocd",), "argocd"),
}
"""Clients by the pointer that they follow."""
_FIREBASE = "firebase"

# program and words that must follow in order; ``*`` is the value
_SETS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("kubectl", "kubectl", ("config", "use-context", "*")),
    ("kubectl", "kubectl", ("ctx", "*")),
    ("oc", "kubectl", ("config", "use-context", "*")),
    ("kubectx", "kubectl", ("*",)),
    ("kubie", "kubectl", ("ctx", "*")),
    ("tsh", "kubectl", ("kube", "login", "*")),
    ("doctl", "kubectl", ("kubernetes", "cluster", "kubeconfig", "save", "*")),
    ("gcloud", "kubectl", ("container", "clusters", "get-credentials", "*")),
    ("k3d", "kubectl", ("kubeconfig", "merge", "*")),
    ("minikube", "kubectl", ("profile", "*")),
    ("kubens", "namespace", ("*",)),
    ("kubectl", "namespace", ("ns", "*")),
    ("oc", "namespace", ("project", "*")),
    ("gcloud", "gcloud", ("config", "set", "project", "*")),
    ("gcloud", "gcloud", ("config", "set", "core/project", "*")),
    ("gcloud", "gcloud", ("config", "configurations", "activate", "*")),
    ("firebase", _FIREBASE, ("use", "*")),
    ("docker", "docker", ("context", "use", "*")),
    ("terraform", "terraform", ("workspace", "select", "*")),
    ("terraform", "terraform", ("workspace", "new", "*")),
    ("tofu", "terraform", ("workspace", "select", "*")),
    ("tofu", "terraform", ("workspace", "new", "*")),
    ("pulumi", "pulumi", ("stack", "select", "*")),
    ("pulumi", "pulumi", ("stack", "init", "*")),
    ("eb", "eb", ("use", "*")),
    ("doctl", "doctl", ("auth", "switch", "*")),
    ("vercel", "vercel", ("switch", "*")),
    ("argocd", "argocd", ("context", "*")),
    ("argocd", "argocd", ("login", "*")),
    ("aws-vault", "aws", ("exec", "*")),
)
_OPTIONS: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("az", "az", ("account", "set"), ("-s", "--subscription", "-n", "--name")),
    ("az", "kubectl", ("aks", "get-credentials"), ("-n", "--name")),
    ("aws", "kubectl", ("eks", "update-kubeconfig"), ("--alias", "--name")),
    ("heroku", "heroku", ("git:remote",), ("-a", "--app")),
    ("cf", "cf", ("target",), ("-s", "-o")),
    ("supabase", "supabase", ("link",), ("--project-ref",)),
    ("vercel", "vercel", ("link",), ("--project", "-p")),
    ("doctl", "doctl", ("auth", "switch"), ("--context",)),
    ("kubectl", "namespace", ("config", "set-context"), ("--namespace", "-n")),
)
_EXPORTS = {
    "AWS_PROFILE": "aws", "AWS_DEFAULT_PROFILE": "aws", "CLOUDSDK_CORE_PROJECT": "gcloud", "GOOGLE_CLOUD_PROJECT": "gcloud",
    "CLOUDSDK_ACTIVE_CONFIG_NAME": "gcloud", "KUBECONFIG": "kubectl", "DOCKER_HOST": "docker", "DOCKER_CONTEXT": "docker",
    "TF_WORKSPACE": "terraform", "HEROKU_APP": "heroku",
}  # fmt: skip
_SHOWS: tuple[tuple[str, str, tuple[str, ...], re.Pattern[str]], ...] = (
    ("kubectl", "kubectl", ("config", "current-context"), lazy(r"\A\s*(\S+)\s*\Z")),
    ("oc", "kubectl", ("config", "current-context"), lazy(r"\A\s*(\S+)\s*\Z")),
    ("oc", "namespace", ("project",), lazy(r"Using project \"([^\"]+)\"")),
    ("kubectx", "kubectl", ("-c",), lazy(r"\A\s*(\S+)\s*\Z")),
    ("kubens", "namespace", ("-c",), lazy(r"\A\s*(\S+)\s*\Z")),
    ("kubectl", "kubectl", ("config", "get-contexts"), lazy(r"^\*\s+(\S+)", re.MULTILINE)),
    (
        "gcloud",
        "gcloud",
        ("config", "get-value", "project"),
        lazy(r"^(?!Your active)(\S+)\s*\Z", re.MULTILINE),
    ),
    (
        "gcloud",
        "gcloud",
        ("config", "get", "project"),
        lazy(r"^(?!Your active)(\S+)\s*\Z", re.MULTILINE),
    ),
    ("gcloud", "gcloud", ("config", "list"), lazy(r"^project\s*=\s*(\S+)", re.MULTILINE)),
    ("docker", "docker", ("context", "show"), lazy(r"\A\s*(\S+)\s*\Z")),
    ("docker", "docker", ("context", "ls"), lazy(r"^(\S+) \*", re.MULTILINE)),
    ("terraform", "terraform", ("workspace", "show"), lazy(r"\A\s*(\S+)\s*\Z")),
    ("terraform", "terraform", ("workspace", "list"), lazy(r"^\* (\S+)", re.MULTILINE)),
    ("tofu", "terraform", ("workspace", "show"), lazy(r"\A\s*(\S+)\s*\Z")),
    ("pulumi", "pulumi", ("stack", "ls"), lazy(r"^(\S+)\*", re.MULTILINE)),
    ("az", "az", ("account", "show"), lazy(r"\"name\":\s*\"([^\"]+)\"")),
    (
        "git",
        "heroku",
        ("remote",),
        lazy(r"^\S+\s+\S*heroku\.com[/:]([\w-]+?)(?:\.git)?\s", re.MULTILINE),
    ),
    ("firebase", _FIREBASE, ("use",), lazy(r"Active Project: (\S+)|^\* (\S+)", re.MULTILINE)),
)
_NO_VALUE = lazy(r"[-$<`{]|\Z|.*[\s\"'|]")


class Pointers:
    """What clients point at while a session goes on."""

    def __init__(self, settings: EnvironmentSettings) -> None:
        """Nothing set yet; ``settings`` are those of ``sessionlens.toml``."""
        self._settings = settings
        self._set: dict[tuple[str | None, str], str] = {}

    def place(self, commands: tuple[Command, ...], directory: str | None) -> tuple[Command, ...]:
        """The commands of a call with the context, namespace and environment that earlier ones set.

        Those of the same line count, as if they had succeeded: what depends on them would not have run.
        """
        if not self._set and not any(_setting_of(command) for command in commands):
            return commands
        kept = dict(self._set)
        placed = []
        for command in commands:
            placed.append(self._placed(command, directory))
            for pointer, value in _setting_of(command):
                self._set[_machine(command), pointer] = value
        self._set = kept
        return tuple(placed)

    def learn(self, command: Command, outcome: Outcome) -> None:
        """Take in what a command set, or showed to be set."""
        if outcome.reached == "no" or outcome.failed or outcome.changed_nothing:
            return
        for pointer, value in (*_setting_of(command), *_shown(command, outcome.content)):
            if value == "-" and pointer in ("kubectl", "namespace"):
                # ``kubectx -``: back to the one before, which is not kept.
                self._set.pop((_machine(command), pointer), None)
            elif len(self._set) < _MOST:
                self._set[_machine(command), pointer] = value

    def _placed(self, command: Command, directory: str | None) -> Command:
        target, program = command.target, command.program
        machine = _machine(command)
        if program == "git" and target.kind == "repository" and "heroku" in command.words:
            return self._named(command, self._set.get((machine, "heroku")), directory)
        pointer = _FIREBASE if program == "firebase" else _TOOLS.get(program, "")
        if program not in ("export", "declare", "set") and _setting_of(command):
            # Where a client points is a setting of the account that uses it: nothing of the place has changed.
            return msgspec.structs.replace(
                command,
                environment="local",
                environment_reason="sets where later commands act",
                environment_confidence="high",
            )
        if not pointer or _setting_of(command):
            return command
        value = self._set.get((machine, pointer))
        scope = self._set.get((machine, "namespace")) if pointer == "kubectl" else None
        if value is None and scope is None:
            return command
        if target.kind in ("k8s", "cloud"):
            names_context = target.context is not None or _names_its_own(command)
            all_of_them = "-A" in command.words or "--all-namespaces" in command.words
            target = msgspec.structs.replace(
                target,
                context=target.context if names_context else value,
                namespace=target.namespace or (None if all_of_them or names_context else scope),
            )
            command = msgspec.structs.replace(command, target=target)
        elif pointer != "docker" or value is None or target.host is not None or value == "default":
            return command
        return self._named(command, None if _names_its_own(command) else value, directory)

    def _named(self, command: Command, value: str | None, directory: str | None) -> Command:
        """The command in the environment that a pointer names, where nothing nearer names one."""
        if command.environment_confidence == "high" or named(command.environment_reason):
            return command
        if value is None and not command.target.namespace:
            return command
        asked = Target(kind="k8s", name="", context=value, namespace=command.target.namespace)
        if command.target.kind not in ("k8s", "container", "compose"):
            asked = Target(kind="cloud", name="", context=value)
        found, reason, sure = environment(asked, directory=directory, settings=self._settings)
        said = f"{reason}, set earlier in the session"
        return msgspec.structs.replace(
            command, environment=found, environment_reason=said, environment_confidence=sure
        )


_MOST = 500


def _machine(command: Command) -> str | None:
    """The machine that a client runs on: what it acts on may be elsewhere."""
    for wrapper in reversed(command.via):
        program, *words = wrapper.split()
        if program.rsplit("/", 1)[-1] in ("ssh", "mosh", "sshpass") and words:
            return effective_host(Target(kind="service", host=words[-1]))
    return None


_OWN = lazy(
    r"--?(?:context|kube-context|kubeconfig|server|project|profile|subscription|account|workspace|stack|app|host|org|space|a|H|c|s)(?:=|$)"
)
_SHORT = {"terraform": (), "docker": ("-H", "-c", "--context", "--host"), "heroku": ("-a", "--app"), "pulumi": ("-s", "--stack")}  # fmt: skip


def _names_its_own(command: Command) -> bool:
    """Whether a client is told by its own words where to act."""
    short = _SHORT.get(_TOOLS.get(command.program, ""), ())
    return any(
        word in short or (word.startswith("--") and _OWN.match(word) is not None)
        for word in command.words[1:60]
    )


def _setting_of(command: Command) -> tuple[tuple[str, str], ...]:
    """The pointers that a command sets, with what it sets them to."""
    return tuple(_each_setting(command)) if command.program in _SETTING else ()


_SETTING = frozenset({row[0] for row in (*_SETS, *_OPTIONS)} | {"export", "set", "declare"})


def _each_setting(command: Command) -> Iterator[tuple[str, str]]:
    program = command.program
    words = command.words[1:40]
    if program in ("export", "declare", "set"):
        for word in words:
            name, equals, value = word.partition("=")
            if equals and name in _EXPORTS and not _NO_VALUE.match(value):
                yield _EXPORTS[name], value
        return
    plain = tuple(word for word in words if not word.startswith("-") or word == "-")
    for client, pointer, shape in _SETS:
        if client == program and len(plain) >= len(shape) and plain[: len(shape) - 1] == shape[:-1]:
            value = plain[len(shape) - 1]
            if value == "-" or not _NO_VALUE.match(value):
                yield pointer, value
    for client, pointer, shape, options in _OPTIONS:
        if client == program and plain[: len(shape)] == shape:
            value = _option(words, options)
            if value and not _NO_VALUE.match(value):
                yield pointer, value


def _option(words: tuple[str, ...], options: tuple[str, ...]) -> str:
    for option in options:
        for index, word in enumerate(words):
            name, equals, value = word.partition("=")
            if name == option:
                return value if equals else "".join(words[index + 1 : index + 2])
    return ""


def _shown(command: Command, content: str) -> Iterator[tuple[str, str]]:
    """What an answer shows a client to point at."""
    if not content:
        return
    plain = tuple(word for word in command.words[1:20] if not word.startswith("-") or word == "-c")
    for client, pointer, shape, pattern in _SHOWS:
        if client == command.program and plain[: len(shape)] == shape and (found := pattern.search(content)):
            value = next(group for group in found.groups() if group)
            if not _NO_VALUE.match(value) and value not in ("(unset)", "error"):
                yield pointer, value
