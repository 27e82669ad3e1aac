"""The rule ``secret-exposed``."""

import re
from bisect import bisect_right

from sessionlens.examples import Example, asks, bash, edit, read, says, tool, write
from sessionlens.rule import (
    Called,
    Confidence,
    Event,
    Finding,
    FindingKind,
    Iterator,
    Ran,
    Reason,
    Rule,
    Said,
    Session,
    SessionGraph,
    Severity,
    dataclass,
    lazy,
)

SLUG = "secret-exposed"
KEY = "REDACTED-key-1"
PASSWORD = "REDACTED-password-1"
TOKEN = "REDACTED-token-1"

_NAME = lazy(r"REDACTED-(?!host-|user-|person-|address-|email-)([a-z0-9]+(?:-[a-z0-9]+)*?)-\d+\b")
"""The names that redaction puts in the place of secrets."""
_KEEPERS = lazy(
    r"(?:^|[/\s'\"=])(?:\.env(?:\.[\w-]+)?|\.envrc|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.my\.cnf|\.git-credentials|auth\.json|credentials(?:\.\w+)?"
    r"|[\w-]*secrets?\.(?:ya?ml|json|toml|env)|\.docker/config\.json|id_(?:rsa|ed25519|ecdsa)|kubeconfig|\.kube/config|service-account[\w.-]*\.json|[\w.-]+\.(?:pem|key|p12|keystore|jks)"
    r"|\.dev\.vars|[\w.-]*\.tfvars|wp-config\.php|database\.ya?ml|application[\w.-]*\.(?:properties|ya?ml)|appsettings[\w.-]*\.json"
    r"|local_settings\.py|parameters\.ya?ml|shadow|htpasswd|\.(?:bash|zsh|mysql|psql)_history)(?=$|[\s'\";|&)])",
    re.IGNORECASE,
)
"""Files whose purpose is to hold secrets."""
_PRINTS = lazy(
    r"\b(?:printenv|env)\b(?!\s+-u|\s+\w+=)|\becho\s+[\"']?\$\{?\w*(?:TOKEN|KEY|SECRET|PASS|PWD|CRED|DSN|URL)\w*|kubectl\b.{0,300}\bget\s+secrets?\b|oc\b.{0,300}\bget\s+secrets?\b"
    r"|vault\s+(?:kv\s+get|read)|secretsmanager\s+get-secret-value|ssm\s+get-parameters?\b|secrets\s+versions\s+access|keyvault\s+secret\s+show|op\s+(?:read|item\s+get)|\bpass\s+show"
    r"|docker\s+(?:inspect|exec\s.{0,300}\benv\b|compose\s+config)|\bgpg\s+(?:-d|--decrypt)|sops\s+(?:-d|--decrypt|decrypt)|heroku\s+config|vercel\s+env\s+pull|fly\s+secrets|gh\s+auth\s+token"
    r"|git\s+remote\s+-v|(?:^|[;&|]\s*)history\b|\bps\s+(?:-?\w*[aef]\w*)\b|(?:terraform|tofu)\s+(?:-\S+\s+)*(?:output|show|state\s+(?:show|pull))\b"
    r"|pulumi\s+(?:config|stack\s+output)|helm\s+get\s+(?:values|all|manifest)|\bcrontab\s+-l|systemctl\s+cat\b"
    r"|gcloud\s+auth\s+print|aws\s+configure\s+(?:get|export)|git\s+config\s+(?:--list|-l)|security\s+find-\w+-password|base64\s+(?:-d|--decode)|systemctl\s+show\b.{0,300}Environment",
    re.IGNORECASE,
)
"""Command lines that bring secrets to light."""
_ECHOES = lazy(
    r"\b(?:echo|printf|print|Write-(?:Host|Output))\b(?P<words>[^|;&\n]{0,200}?)\$(?:env:|\{(?:env:)?)?[A-Za-z_]\w*",
    re.IGNORECASE,
)
"""A program that prints the value of some variable, behind the words that it prints before it."""
_PRINTS_ENV = lazy(
    r"\bprint\([^)\n]{0,80}\bos\.(?:environ|getenv)|\bconsole\.log\([^)\n]{0,80}\bprocess\.env|\bputs\b[^;\n]{0,80}\bENV\["
)
_MARKS = lazy(r"\\[ntr\"']|%-?\d*s|[\"'\\]|(?:^|\s)-[neE]+(?=\s)")
"""What an echo or a format holds that is not printed as it stands."""
_INVENTED = lazy(
    r"(?:^|[/_.\s-])(?:tests?|specs?|__tests__|fixtures?|mocks?|examples?|samples?|stubs?|demo|docs?|tutorials?|template)(?:[/_.\s-]|$)|\.(?:test|spec)\.|_test\.|\.md\b|\.mdx\b|\.rst\b|README"
    r"|\.example\b|\.sample\b|\.dist\b|\bdiff\b|\bgit\s+(?:show|log)\b",
    re.IGNORECASE,
)
"""Places whose values are made up to show something: tests, documentation, samples, and diffs of any of them."""
_PUBLIC = lazy(
    r"pastebin\.|hastebin|0x0\.st|transfer\.sh|termbin|ix\.io|dpaste|webhook\.site|requestbin|pipedream\.net|hooks\.slack\.com|discord(?:app)?\.com/api/webhooks|api\.telegram\.org\S*/sendMessage"
    r"|\bgh\s+(?:gist\s+create|issue\s+(?:create|comment|edit)|pr\s+(?:create|comment|edit|review)|release\s+create)|\bglab\s+(?:issue|mr)\s+(?:create|note)|/(?:issues|gists|comments)\b|\bmail\s+-s|sendmail|file\.io"
    r"|gist\.github|paste\.",
    re.IGNORECASE,
)
"""Places where others read."""
_SENDERS = lazy(
    r"(?:create|add|post|send|comment|update)[-_]?(?:issue|comment|pull|gist|message|mail|page|review)|slack|discord|notion|jira|linear|mail",
    re.IGNORECASE,
)
"""Names of tools that publish something."""
_ADDS = lazy(
    r"\bgit\s+(?:-C\s+\S+\s+)?(?:add|stage)\b([^&|;\n]*)|\bgit\s+(?:-C\s+\S+\s+)?commit\b[^&|;\n]*?\s-\w*a\w*\b"
)
_COMMITS = lazy(r"\bgit\s+(?:-C\s+\S+\s+|-c\s+\S+\s+)*(?:commit|push)\b")
_ALL_FILES = lazy(r"(?:^|\s)(?:-A|--all|-u|\.|\*|:/)(?=\s|$)")

_FENCE = lazy(r"```")
_MOST = 500
"""More secrets than these in one text are a list of them, and the first stand for all."""
_WHERE = {
    "committed": "committed to a repository",
    "sent": "sent to where others read",
    "printed": "printed",
    "file": "written into a file",
    "command_line": "put on a command line",
    "prose": "repeated in prose",
    "person": "written by the person",
}
"""What became of a secret, the gravest first."""
_SEVERITY: dict[str, Severity] = {
    "committed": "high", "sent": "high", "printed": "medium", "file": "low", "command_line": "low", "prose": "low", "person": "info",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class SecretExposed(Rule):
    """A password, token or key stood where it can be read later.

    ## What it flags
    A secret that the assistant had printed (`cat .env`, `echo $TOKEN`, `kubectl get secret -o yaml`, reading a file of
    keys), put on a command line (where the process list, the shell's history and this log keep it), wrote into a
    file that is no file of secrets, committed, sent to where others read (an issue, a gist, a webhook), or repeated in
    prose. One finding a secret, at its gravest place. A secret that only the person wrote is a signal. Not flagged:
    names of variables, values in tests, samples and documentation, and a secret that went into the file it belongs in.

    The rule reads the names that redaction puts in the place of secrets, such as ``REDACTED-token-1``. It never sees
    a secret, and finds nothing in a session that is audited with ``--no-redact``.

    ## Why it matters
    A log is kept, shared and read by a model's provider. What stood in it has to be replaced.

    ## What to do
    Replace the secret at its issuer, and remove it from history where it was committed. For the agent: pass secrets
    by file, variable or standard input, and show their names only.

    ## Facts
    - `secret`: the name that stands for it
    - `secret_kind`: what it is, such as password, token or key
    - `where`: committed, sent, printed, file, command_line, prose or person: its gravest place
    - `places`: in how many calls and messages it stands so, by place, gravest first
    - `given_by_person`: whether it stands in a message of the person first
    - `remote`: whether its gravest place is on another host or in production
    """

    slug = SLUG
    severity = "low"
    since = "0.1"

    def checkable(self, session: Session) -> str | None:
        """Every log that holds texts can be judged."""
        return None

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each secret."""
        found: dict[str, list[tuple[str, Event]]] = {}
        kinds: dict[str, str] = {}
        invented: set[str] = set()
        written: dict[str, set[str]] = {}
        staged: set[str] = set()
        real: set[str] = set()
        for event in graph.events:
            if isinstance(event, Ran):
                continue
            places: Iterator[tuple[str, str, str, bool]]
            places = _said(graph, event) if isinstance(event, Said) else _called(graph, event)
            for name, kind, where, made_up in places:
                if made_up and name not in found:
                    invented.add(name)
                kinds.setdefault(name, kind)
                if where:
                    found.setdefault(name, []).append((where, event))
                    if where == "printed":
                        real.add(name)
            if isinstance(event, Called):
                for name in _committed(graph, event, written, staged, real):
                    found.setdefault(name, []).append(("committed", event))
        for name, rows in found.items():
            if name not in invented:
                yield self._found(graph, name, kinds[name], rows)

    def _found(self, graph: SessionGraph, name: str, kind: str, rows: list[tuple[str, Event]]) -> Finding:
        order = list(_WHERE)
        where = min((where for where, _ in rows), key=order.index)
        at = next(event for one, event in rows if one == where)
        remote = isinstance(at, Called) and any(
            ran.command.target.host is not None or graph.setting(ran).environment == "production"
            for ran in graph.commands(at)
            if where != "command_line" or any(name in word for word in (*ran.command.words, *ran.command.via))
        )
        severity = _SEVERITY[where]
        given = rows[0][0] == "person"
        if where in ("file", "command_line") and remote and not given:
            severity = "medium"
        kind_of: FindingKind = "signal" if where == "person" else "fault"
        confidence: Confidence = (
            "medium" if kind in ("password", "secret", "generic") or where == "file" else "high"
        )
        counts = {one: sum(other == one for other, _ in rows) for one in order}
        because: list[Reason] = []
        for one in order:
            first = next((event for other, event in rows if other == one), None)
            if first is not None:
                because.append((first, _WHERE[one]))
        return self.finding(
            at,
            f"A secret was {_WHERE[where]}: {name}",
            note=f"Kind: {kind}. It stands in {len(rows)} places of this session."
            if len(rows) > 1
            else f"Kind: {kind}.",
            because=because,
            severity=severity,
            confidence=confidence,
            kind=kind_of,
            facts={
                "secret": name,
                "secret_kind": kind,
                "where": where,
                "places": {one: count for one, count in counts.items() if count},
                "given_by_person": given,
                "remote": remote,
            },
            about=name,
        )

    examples = (
        Example(
            "a password that was read from the cluster is written into a runbook, committed and pushed",
            asks("we need a runbook docs/restore.md, push to main when done"),
            bash("kubectl -n grafana get secret grafana-db -o jsonpath='{.data.password}' | base64 -d; echo", output=PASSWORD),
            write("/home/dev/project/docs/restore.md", f"# Restore\n\n    export PGPASSWORD='{PASSWORD}'\n    pg_restore -h pg-obs grafana.dump\n"),
            bash('git add docs/restore.md && git commit -qm "docs: restore" && git push -q origin main && git log -1 --oneline', output="2e60fa1 docs: restore",
                 flag=SLUG, severity="high", facts={"where": "committed"}),
            says("docs/restore.md is on main."),
        ),
        Example(
            "a password that nobody saw elsewhere stands in a runbook that is committed",
            asks("we need a runbook docs/restore.md, push to main when done"),
            write("/home/dev/project/docs/restore.md", f"# Restore\n\n    export PGPASSWORD='{PASSWORD}'\n    pg_restore -h pg-obs grafana.dump\n"),
            bash('git add docs/restore.md && git commit -qm "docs: restore" && git push -q origin main && git log -1 --oneline', output="2e60fa1 docs: restore"),
            says("docs/restore.md is on main; put your password in its place."),
        ),
        Example(
            "the file of secrets is printed",
            asks("why does the login fail?"),
            bash("cat .env", output=f"DB_HOST=db1\nAPI_KEY={KEY}", flag=SLUG, severity="medium",
                 facts={"where": "printed", "secret_kind": "key"}),
            says("The host is db1."),
        ),
        Example(
            "a variable is printed to see whether it is set",
            asks("ist der Schlüssel gesetzt?"),
            bash("echo $FIREWORKS_API_KEY | head -c 20", output=KEY, flag=SLUG, severity="medium"),
            says("Ja, er ist gesetzt."),
        ),
        Example(
            "a variable of a plain name is printed behind a word, on another host",
            asks("why does the runner get 401?"),
            bash("ssh ci-3 'sudo -u runner bash -lc \"echo cred=$R\"'", output=f"cred={TOKEN}", flag=SLUG, severity="medium",
                 facts={"where": "printed"}),
            says("It is set."),
        ),
        Example(
            "a variable is printed by a format, and one within a sentence",
            asks("is it set?"),
            bash("printf 'value: %s\\n' \"$X\"", output=f"value: {TOKEN}", flag=SLUG),
            bash("echo \"K is $K\"", output=f"K is {KEY}", flag=SLUG),
            says("Both are set."),
        ),
        Example(
            "what is echoed is another thing than the token that a log shows",
            asks("build it"),
            bash("echo \"building $BRANCH\"; ./build.sh", output=f"building main\nusing {TOKEN}"),
            says("Built."),
        ),
        Example(
            "a cluster's secret is shown",
            asks("check the credentials of the api"),
            bash("kubectl -n prod get secret api -o jsonpath='{.data.token}' | base64 -d", output=TOKEN, flag=SLUG,
                 facts={"remote": True}),
            says("The secret exists."),
        ),
        Example(
            "a password on the command line of a database client",
            asks("count the orders"),
            bash(f"mysql -h db1.prod.example.com -u app -p{PASSWORD} shop -e 'SELECT count(*) FROM orders'", output="41",
                 flag=SLUG, severity="medium", facts={"where": "command_line", "remote": True}),
            says("41 orders."),
        ),
        Example(
            "a token the person gave is put on a command line, locally",
            asks(f"use {TOKEN} for the api"),
            bash(f"export API_TOKEN={TOKEN} && ./sync.sh", output="synced", flag=SLUG, severity="low",
                 facts={"given_by_person": True, "places": {"command_line": 1, "person": 1}}),
            says("Synced."),
        ),
        Example(
            "written into the source and committed",
            asks("add the client"),
            write("/home/dev/project/client.py", f"KEY = '{KEY}'\n"),
            bash("git add -A && git commit -m 'Client'", output="[main a1b2c3] Client\n 1 file changed", flag=SLUG, severity="high",
                 facts={"where": "committed"}),
            says("Committed."),
        ),
        Example(
            "the file of secrets itself is committed, its name shown by git",
            asks("commit everything"),
            bash("git add -f . && git commit -m 'wip'", output="[main 1] wip\n create mode 100644 .env"),
            write("/home/dev/project/.env", f"TOKEN={TOKEN}\n"),
            bash("git add -f .env && git commit -m 'env'", output="[main 2] env\n create mode 100644 .env", flag=SLUG, severity="high"),
            says("Committed."),
        ),
        Example(
            "posted to an issue",
            asks("report the bug"),
            bash(f"gh issue create --title 'Login' --body 'Authorization: Bearer {TOKEN} gives 401'", flag=SLUG, severity="high",
                 facts={"where": "sent"}),
            says("Reported."),
        ),
        Example(
            "repeated in prose",
            asks("what is the keystore's password?"),
            read("/home/dev/project/gradle.properties", "storePassword=x"),
            says(f"Release signing key: password `{PASSWORD}`, alias app.", flag=SLUG, severity="low", facts={"where": "prose"}),
        ),
        Example(
            "only the person wrote it: a signal",
            asks(f"the login is admin with {PASSWORD}", flag=SLUG, kind="signal", severity="info"),
            says("I will ask the vault for it instead."),
        ),
        Example(
            "a value in a test",
            asks("what does the test do?"),
            read("/home/dev/project/tests/test_login.py", f"login('admin', '{PASSWORD}')"),
            bash("git diff", output=f"+    token='{TOKEN}'"),
            says("It logs in."),
        ),
        Example(
            "a sample in the documentation",
            asks("write the guide"),
            write("/home/dev/project/docs/setup.md", f"export TOKEN={TOKEN}\n"),
            bash("git add docs/setup.md && git commit -m 'Guide'", output="[main a1] Guide"),
            says("Written."),
        ),
        Example(
            "put into the file it belongs in, which is not committed",
            asks("set the key"),
            edit("/home/dev/project/.env", "API_KEY=", f"API_KEY={KEY}"),
            bash("git add src/app.py && git commit -m 'App'", output="[main a1] App"),
            says("Set."),
        ),
        Example(
            "an edit that puts another secret in the place of one",
            asks("rotate the key"),
            edit("/home/dev/project/client.py", f"KEY = '{KEY}'", f"KEY = '{TOKEN}'", flag=SLUG, facts={"secret": TOKEN}),
            says("Rotated."),
        ),
        Example(
            "an edit that takes a secret out, and the commit of it",
            asks("read the key from the environment"),
            edit("/home/dev/project/client.py", f"KEY = '{KEY}'", f"KEY_ = '{KEY}'"),
            edit("/home/dev/project/client.py", f"KEY_ = '{KEY}'", "KEY = os.environ['KEY']"),
            tool("apply_patch", {"input": f"*** Begin Patch\n*** Update File: app.py\n@@\n-T = '{TOKEN}'\n+T = os.environ['T']\n*** End Patch"},
                 output="Success. Updated the following files:\nM app.py"),
            bash("git add -A && git commit -m 'Keys from the environment'", output="[main a1b2c3] Keys from the environment"),
            says("Done."),
        ),
        Example(
            "names of variables only",
            asks("which secrets are set?"),
            bash("env | cut -d= -f1 | grep -i token", output="API_TOKEN\nGH_TOKEN"),
            says("API_TOKEN and GH_TOKEN are set."),
        ),
        Example(
            "by standard input from a file",
            asks("log in"),
            bash("docker login -u dev --password-stdin < ~/.registry-password", output="Login Succeeded"),
            says("Logged in."),
        ),
        Example(
            "a variable that is used, not shown",
            asks("call it"),
            bash("curl -fsS -H \"Authorization: Bearer $API_TOKEN\" https://api.example.com/me", output='{"id": 1}'),
            says("It answers."),
        ),
        Example(
            "a source file that happens to hold one",
            asks("how does the loader work?"),
            read("/home/dev/project/src/loader.py", f"settings = {{'bot_token': '{TOKEN}'}}"),
            tool("grep", {"pattern": "token"}, output=f"src/loader.py:3: 'bot_token': '{TOKEN}'"),
            says("It merges the settings."),
        ),
    )  # fmt: skip


def _said(graph: SessionGraph, said: Said) -> Iterator[tuple[str, str, str, bool]]:
    """Secrets in prose: name, kind, where, and whether the value is made up."""
    if not said.texts or said.message.summary:
        return
    prose = graph.prose(said)
    if "REDACTED-" not in prose:
        return
    where = "person" if said.human else "prose" if said.role == "assistant" else ""
    fences = [found.start() for found in _FENCE.finditer(prose)]
    for found in _names(prose):
        # In a block of code the words are a sample of a file or command more often than the secret of somebody.
        sample = bisect_right(fences, found.start()) % 2 == 1
        yield found.group(), found.group(1), "" if sample else where, sample and said.role != "user"


def _names(text: str) -> list[re.Match[str]]:
    """The first place of each name in a text; of very many names the first."""
    firsts: dict[str, re.Match[str]] = {}
    for found in _NAME.finditer(text):
        firsts.setdefault(found.group(), found)
        if len(firsts) >= _MOST:
            break
    return list(firsts.values())


def _called(graph: SessionGraph, called: Called) -> Iterator[tuple[str, str, str, bool]]:
    """Secrets in a call and its result."""
    given = called.line if called.line is not None else called.call.input.ends()
    if "REDACTED-" in given:
        there, _ = _in_old_text(called)
        names = [found for found in _names(given) if found.group() not in there]
        made_up = _INVENTED.search(_path(called)) is not None
        for found, where in zip(
            names, _where_given(graph, called, given, [one.group() for one in names]), strict=True
        ):
            yield found.group(), found.group(1), where, where == "" and made_up
    for text in (called.call.output, called.call.error):
        shown = text.ends() if text is not None else ""
        if "REDACTED-" not in shown:
            continue
        keeps = _shows_secrets(called, given)
        for found in _names(shown):
            if found.group() in given:
                continue
            on_purpose = keeps or (called.line is not None and _echoed(called.line, shown, found.start()))
            made_up = not on_purpose and _INVENTED.search(_about(given, shown, found.start())) is not None
            yield found.group(), found.group(1), "printed" if on_purpose else "", made_up


def _echoed(line: str, shown: str, at: int) -> bool:
    """Whether a place of an output is what an ``echo`` or ``printf`` of a variable printed: its words stand before it."""
    if _PRINTS_ENV.search(line) is not None:
        return True
    before = shown[shown.rfind("\n", 0, at) + 1 : at]
    for printed in _ECHOES.finditer(line[:4000]):
        words = " ".join(_MARKS.sub(" ", printed["words"]).split())
        # Of several variables the words before the last one hold the others.
        words = words.rsplit("$", 1)[-1].partition(" ")[2] if "$" in words else words
        bare = " ".join(before.split())
        if bare == words or (words and bare.endswith(words)):
            return True
    return False


_OLD = frozenset({"oldstring", "old_string", "old_str", "oldtext", "old_text", "old", "search", "find"})
"""Arguments of an edit, in small letters, that hold the text which goes."""
_PATCH = lazy(r"^(?:\*\*\* Begin Patch|@@|--- )", re.MULTILINE)


def _in_old_text(called: Called) -> tuple[set[str], set[str]]:
    """The secrets of the text that an edit of a client's own tool replaces, which it did not bring to light; and
    those of them that it takes out.
    """
    old: set[str] = set()
    new: set[str] = set()
    waiting: list[tuple[str, object]] = [("", called.call.arguments())] if called.line is None else []
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend((str(name), inner) for name, inner in value.items())
        elif isinstance(value, list):
            waiting.extend((key, inner) for inner in value)
        elif isinstance(value, str) and "REDACTED-" in value:
            is_patch = _PATCH.search(value) is not None
            for line in value.splitlines() if is_patch else (value,):
                goes = not line.startswith("+") if is_patch else key.lower() in _OLD
                (old if goes else new).update(found.group() for found in _NAME.finditer(line))
    return old, old - new


def _about(given: str, shown: str, at: int) -> str:
    """What tells where an output's line comes from: the call, and the line itself, with its file where a search shows it."""
    line = shown[shown.rfind("\n", 0, at) + 1 : at]
    before = shown[max(0, at - 2000) : at]
    file = next(
        (row for row in reversed(before.splitlines()) if "/" in row and row.rstrip().endswith(":")), ""
    )
    return f"{given[:600]}\n{line[:300]}\n{file[:300]}"


def _path(called: Called) -> str:
    """The file that a call of a client's own tool writes; its line, of a shell."""
    if called.line is not None:
        return called.line[:600]
    arguments = called.call.arguments()
    return " ".join(
        str(arguments[key])
        for key in ("filePath", "file_path", "path", "filename", "target_file")
        if key in arguments
    )


def _shows_secrets(called: Called, given: str) -> bool:
    if _KEEPERS.search(given if called.line is not None else f" {_path(called)}") is not None:
        return True
    return called.line is not None and _PRINTS.search(given) is not None


def _where_given(graph: SessionGraph, called: Called, given: str, names: list[str]) -> Iterator[str]:
    """Where each of the secrets in a call's input ends up; empty for where it belongs, or is made up."""
    commands = graph.commands(called)
    if called.line is None:
        where = "file"
        if _SENDERS.search(called.call.name) is not None:
            where = "sent"
        elif not any(ran.command.effect == "edit" for ran in commands) or _belongs(_path(called)):
            where = ""
        yield from (where for _ in names)
        return
    public = _PUBLIC.search(given) is not None
    messages = " ".join(
        word for ran in commands if ran.command.words[:2] == ("git", "commit") for word in ran.command.words
    )
    edits = [
        (ran.command.writes, ran.command.target.name)
        for ran in commands
        if ran.command.effect == "edit" and ran.command.writes
    ]
    for name in names:
        target = next((target for writes, target in edits if name in writes), None)
        if public:
            yield "sent"
        elif name in messages:
            yield "committed"
        elif target is not None:
            yield "" if _belongs(target) else "file"
        else:
            yield "command_line"


def _belongs(path: str) -> bool:
    """Whether a file is one for secrets, or for values that are made up."""
    return _KEEPERS.search(f" {path}") is not None or _INVENTED.search(path) is not None


def _committed(
    graph: SessionGraph, called: Called, written: dict[str, set[str]], staged: set[str], real: set[str]
) -> Iterator[str]:
    """Secrets that a commit takes in: written into a file of this session, that file staged, and the commit made.

    ``written`` holds the secrets by file, ``staged`` the files that stand for the next commit; both are kept up to date.
    ``real`` are those that a call had printed: in a file of documentation they are not made up.
    """
    line = called.line or ""
    for ran in graph.commands(called):
        if (
            ran.command.effect == "edit"
            and ran.change
            and ran.command.target.kind == "file"
            and ran.command.target.name
        ):
            path = ran.command.target.name
            text = ran.command.writes or (called.call.input.ends() if called.line is None else "")
            there, gone = _in_old_text(called)
            names = {found.group() for found in _NAME.finditer(text)} - there
            if path in written:
                written[path] -= gone
            if _INVENTED.search(path) is not None:
                names &= real
            if names:
                written.setdefault(path, set()).update(names)
            elif path in written and called.call.name.lower().startswith("write"):
                written[path] = names
    if not written or "git" not in line:
        return
    for added in _ADDS.finditer(line):
        words = added.group(1)
        if words is None or _ALL_FILES.search(words) is not None:
            # A file of secrets is usually ignored by git: then only its name in the output shows it.
            staged.update(path for path in written if _KEEPERS.search(f" {path}") is None)
        else:
            staged.update(path for path in written if any(_same(path, word) for word in words.split()))
    if _COMMITS.search(line) is None or called.call.exit not in (0, None) or called.call.status == "error":
        return
    shown = called.call.output.ends() if called.call.output is not None else ""
    for path in sorted(written):
        base = path.rsplit("/", 1)[-1]
        if path in staged or f" {base}\n" in f"{shown}\n" or f"/{base}\n" in f"{shown}\n":
            yield from sorted(written[path])
    staged.clear()


def _same(path: str, word: str) -> bool:
    bare = word.strip("'\"").removeprefix("./").rstrip("/")
    return bool(bare) and (path == bare or path.endswith(f"/{bare}") or f"/{bare}/" in path)
