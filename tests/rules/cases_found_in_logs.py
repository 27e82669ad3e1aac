"""Cases for kinds of faults that the rules had on logs of others: each a small session of our own."""

from __future__ import annotations

from typing import Any

from sessionlens.examples import asks, bash, edit, read, says, tool, write

STACKED = "change-on-unverified-change"
HOLLOW = "check-that-cannot-fail"
SILENT = "failure-not-reported"
RETRY = "retry-without-change"
EMPTY = "empty-output-taken-as-success"
SECRET = "secret-exposed"  # the name of a rule
LEFT = "left-running"
PROMISE = "promised-check-not-made"
NO_COPY = "edit-without-backup"


def cases(case: Any) -> None:
    """Hand every case to ``case(rule, title, *steps)``."""
    case(
        STACKED, "a script in the foreground showed what failed",
        asks("push the settings to all hosts"),
        bash("./scripts/deploy_settings.sh prod", output="host1.prod ok\nhost2.prod: disk full\nhost3.prod ok"),
        bash("./scripts/deploy_settings.sh prod --only host2", output="host2.prod ok"),
        says("All three have them."),
    )  # fmt: skip
    case(
        STACKED, "a source file edited after a release is no second change of what runs",
        asks("release, then start the next version"),
        bash("kubectl --context prod apply -f k8s/api.yaml", output="deployment.apps/api configured"),
        edit("/home/dev/project/k8s/api.yaml"),
        says("Released; the next version is begun."),
    )  # fmt: skip
    case(
        STACKED, "a release in several files",
        asks("release the auth system"),
        bash("kubectl --context prod apply -f k8s/auth-service.yaml", output="service/auth created"),
        bash("kubectl --context prod apply -f k8s/auth-secrets.yaml", output="secret/auth created"),
        bash("kubectl --context prod get pods -l app=auth", output="auth-1 1/1 Running"),
        says("auth runs."),
    )  # fmt: skip
    case(
        LEFT, "a server that was asked for and is said to answer",
        asks("start it"),
        bash("npm start", background=True, output="Command running in background with ID: bash_2"),
        bash("curl -s http://localhost:3000/", output="<html>ok</html>"),
        says("It answers on 3000."),
    )  # fmt: skip
    case(
        SILENT, "told in few words",
        asks("is it up?"),
        bash("ssh root@gpu3 'systemctl restart vllm'"),
        bash("curl -fsS http://gpu3:8100/health", exit=7, output="curl: (7) Failed to connect to gpu3 port 8100: Connection refused"),
        says("Not listening yet."),
    )  # fmt: skip
    case(
        SILENT, "all but what is named works",
        asks("run the tests"),
        bash("pytest -q", exit=1, output="FAILED tests/test_pay.py::test_charge - TypeError\n1 failed, 41 passed"),
        says("Everything works except test_charge."),
    )  # fmt: skip
    case(
        PROMISE, "looking back at a text is no look that was promised",
        asks("should we keep the docs?"),
        read("/home/dev/project/VISION.md", "benchmark"),
        says("Looking back at the vision, it explicitly states: the project is a benchmark for agents."),
        asks("ok"),
    )  # fmt: skip
    case(
        STACKED, "requests to the page are looks at it",
        asks("release and upload a sample"),
        bash("vercel --prod --yes", output="Production: https://shop.example.com"),
        bash("curl -s -X POST https://shop.example.com/api/upload -F file=@a.csv", output='{"id": 3}'),
        says("The sample has id 3."),
    )  # fmt: skip
    case(
        STACKED, "the failure of the first was reported before the second",
        asks("release"),
        bash("helm upgrade api ./chart -n prod", output="STATUS: deployed"),
        says("The release did not come up: the image is missing.", finish="tool-calls"),
        bash("helm upgrade api ./chart -n prod --set tag=3", output="STATUS: deployed"),
        bash("helm status api -n prod", output="STATUS: deployed"),
        says("Tag 3 is deployed."),
    )  # fmt: skip
    case(
        HOLLOW, "the silence of a linter is its verdict",
        asks("clean the script"),
        edit("/home/dev/project/clean.sh"),
        bash("shellcheck clean.sh || true"),
        says("Clean."),
    )  # fmt: skip
    case(
        HOLLOW, "an answer that is kept in a variable is no answer thrown away",
        asks("upload and wait"),
        bash("vercel --prod --yes", output="Production: https://shop.example.com"),
        bash("for i in 1 2 3; do s=$(curl -s https://shop.example.com/api/state); echo $s; sleep 5; done", output="done"),
        says("The state is done."),
    )  # fmt: skip
    case(
        HOLLOW, "a note on how to read an empty output",
        asks("run the tests"),
        bash("go test ./... 2>&1 | grep -v '^ok'; echo '(empty = all passed)'", output="(empty = all passed)"),
        says("Nothing but ok lines."),
    )  # fmt: skip
    case(
        HOLLOW, "lint before test: the failure is seen",
        asks("lint and test"),
        bash("mise run lint && mise run test", exit=1, output="3 issues"),
        says("Three issues."),
    )  # fmt: skip
    case(
        SILENT, "an edit was refused, a look showed why",
        asks("add the main guard"),
        edit("/home/dev/project/a.py", "main()", "x", error="String to replace not found in file."),
        read("/home/dev/project/a.py", "if __name__ == '__main__': main()"),
        says("The guard is part of a.py."),
    )  # fmt: skip
    case(
        RETRY, "the second message was another one",
        asks("say hello by the tool"),
        bash("docker exec bot claude --print hello", exit=1, output="401 token has expired"),
        bash("docker exec bot rm -rf /home/bot/.claude", exit=1, output="Device or resource busy"),
        bash("docker exec bot claude --print hello", exit=1, output="Invalid API key, please run /login"),
        says("It wants a login."),
    )  # fmt: skip
    case(
        RETRY, "looks at several files that are not there are not one try",
        asks("read them"),
        bash("cd /srv && sed -n '1,20p' a.ts", exit=2, output="sed: can't read a.ts: No such file or directory"),
        bash("cd /srv && sed -n '1,20p' b.ts", exit=2, output="sed: can't read b.ts: No such file or directory"),
        says("Neither is there."),
    )  # fmt: skip
    case(
        EMPTY, "what was searched for is said not to be there",
        asks("any segfaults?"),
        bash("ssh root@web2 'journalctl -k -b | grep -i segfault'", exit=None),
        says("web2 is fine, there are no segfaults."),
    )  # fmt: skip
    case(
        SECRET, "a manifest of secrets is the file for them",
        asks("write the manifest"),
        write("/home/dev/project/k8s/auth-secrets.yaml", "password: REDACTED-password-1"),
        says("Written."),
    )  # fmt: skip
    case(
        NO_COPY, "a key is added, nothing is overwritten",
        asks("let me in"),
        bash("ssh-copy-id -i ~/.ssh/id_ed25519.pub root@web1.prod", output="Number of key(s) added: 1"),
        says("The key is there."),
    )  # fmt: skip
    case(
        SECRET, "a token in the diff of a test",
        asks("review"),
        tool("grep", {"pattern": "jwt", "path": "src"}, output="/src/run.test.ts:\n  Line 3: jwt: 'REDACTED-token-1'"),
        says("The test uses a made-up token."),
    )  # fmt: skip
