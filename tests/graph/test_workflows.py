"""Pipelines' files and pushes: which of them deploy, and where."""

from __future__ import annotations

import time

import pytest

from sessionlens.examples import Example, asks, bash, read, says, write
from sessionlens.graph.events import Ran
from sessionlens.graph.session_graph import SessionGraph
from sessionlens.graph.settings import speaks_of_deploying
from sessionlens.graph.workflows import deploys_on_push

GITHUB = ".github/workflows/deploy.yml"
JOB = "jobs:\n  deploy:\n    runs-on: ubuntu-latest\n    steps:\n      - run: ./deploy.sh\n"
TEST = "jobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: pytest\n"

# path, text, branch, where a push of it deploys
FILES = [
    (GITHUB, f"on:\n  push:\n    branches: [main]\n{JOB}", "main", "production"),
    (GITHUB, f"on:\n  push:\n    branches: [main]\n{JOB}", "fix/login", None),
    (GITHUB, f"on:\n  push:\n    branches:\n      - main\n      - 'release/**'\n{JOB}", "release/2.1", "production"),
    (GITHUB, f"on: push\n{JOB}", "anything", "production"),
    (GITHUB, f"on: [push, pull_request]\n{JOB}", "anything", "production"),
    (GITHUB, f"\"on\":\n  push:\n    branches: [main]\n{JOB}", "main", "production"),
    (GITHUB, f"on:\n  pull_request:\n    branches: [main]\n{JOB}", "main", None),
    (GITHUB, f"on: workflow_dispatch\n{JOB}", "main", None),
    (GITHUB, f"on:\n  push:\n    tags: ['v*']\n{JOB}", "main", None),
    (GITHUB, f"on:\n  push:\n    tags: ['v*']\n{JOB}", "v1.2", "production"),
    (GITHUB, f"on:\n  push:\n    branches-ignore: [main]\n{JOB}", "main", None),
    (GITHUB, f"on:\n  push:\n    branches: [main]\n{TEST}", "main", None),
    (GITHUB, f"on:\n  push:\n    branches: [develop]\nname: Deploy to staging\n{JOB}", "develop", "staging"),
    (GITHUB, f"on: push\n{JOB}    if: github.ref == 'refs/heads/main'\n", "feature", None),
    (GITHUB, f"on: push\n{JOB}    if: github.ref == 'refs/heads/main'\n", "main", "production"),
    (GITHUB, "on:\n  push:\n    branches: [main]\njobs:\n  ship:\n    steps:\n      - run: kubectl apply -f k8s/\n", "main", "production"),
    (GITHUB, f"# on: push\non:\n  schedule:\n    - cron: '0 3 * * *'\n{JOB}", "main", None),
    (GITHUB, f"on:\n  push:\n{JOB}", "main", "production"),
    (".gitlab-ci.yml", "stages: [build, deploy]\ndeploy:\n  stage: deploy\n  script: ./go\n  only:\n    - main\n", "main", "production"),
    (".gitlab-ci.yml", "stages: [build, deploy]\ndeploy:\n  stage: deploy\n  script: ./go\n  only:\n    - main\n", "topic", None),
    (".gitlab-ci.yml", "deploy:\n  stage: deploy\n  script: ./go\n  when: manual\n", "main", None),
    (".gitlab-ci.yml", "deploy_stg:\n  stage: deploy\n  environment: staging\n  script: ./go\ndeploy_live:\n  stage: deploy\n  environment: production\n  script: ./go\n  when: manual\n", "main", "staging"),
    (".gitlab-ci.yml", "deploy:\n  stage: deploy\n  script: ./go\n  rules:\n    - if: $CI_COMMIT_BRANCH == \"main\"\n", "topic", None),
    (".gitlab-ci.yml", "test:\n  stage: test\n  script: pytest\n", "main", None),
    ("Jenkinsfile", "stage('Deploy') { when { branch 'main' }\n steps { sh './deploy.sh' } }", "main", "production"),
    ("Jenkinsfile", "stage('Deploy') { when { branch 'main' }\n steps { sh './deploy.sh' } }", "topic", None),
    ("render.yaml", "services:\n  - type: web\n    name: api\n", "main", "production"),
    ("render.yaml", "services:\n  - type: web\n    autoDeploy: false\n", "main", None),
    ("docs/deploy.yml", f"on: push\n{JOB}", "main", None),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "branch", "expected"), FILES)
def test_which_pushes_deploy(path: str, text: str, branch: str, expected: str | None) -> None:
    assert deploys_on_push(path, text, branch) == expected


PROSE = [
    ("push to main, that goes live automatically", True),
    ("Pushing to main deploys.", True),
    ("merging it deploys to production", True),
    ("main is auto-deployed", True),
    ("every commit on main gets rolled out by CI", True),
    ("ein Push auf main geht automatisch live", True),
    ("main wird automatisch deployt", True),
    ("un push sur main déploie en prod", True),
    ("un push a main se despliega solo", True),
    ("пуш в main автоматически деплоится", True),
    ("推送到main会自动部署", True),
    ("mainにpushすると自動デプロイされます", True),
    ("pushing does not deploy anything", False),
    ("we deploy main manually", False),
    ("main is not live yet", False),
    ("push it", False),
    ("the live stream on main street", False),
    ("deploy the docs", False),
]


@pytest.mark.parametrize(("text", "expected"), PROSE)
def test_prose_of_pushes_that_deploy(text: str, expected: bool) -> None:
    assert speaks_of_deploying(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Pushing to main triggers an automatic deploy.", True),
        ("Vercel auto-deploys main.", True),
        ("The pipeline deploys every push to main.", True),
        ("Pushed to GitHub: all changes are now live on main.", False),
        ("I pushed the deploy script to main.", False),
        ("Pushed and deployed.", False),
        ("I will push and then deploy it.", False),
    ],
)
def test_prose_of_an_assistant(text: str, expected: bool) -> None:
    assert speaks_of_deploying(text, assistant=True) is expected


def test_a_written_or_read_workflow_counts() -> None:
    text = f"on:\n  push:\n    branches: [main]\n{JOB}"
    for step in (read(GITHUB, text), write(GITHUB, text), bash(f"cat {GITHUB}", output=text)):
        session, _ = Example(
            "x", asks("go"), step, bash("git push origin main", output="1..2 main -> main"), says("ok")
        ).build()
        graph = SessionGraph(session)
        push = next(e for e in graph.events if isinstance(e, Ran) and e.command.words[:2] == ("git", "push"))
        assert graph.setting(push).environment == "production"
        assert graph.setting(push).confidence == "medium"


def test_long_files_stay_cheap() -> None:
    start = time.process_time()
    for text in (
        "on:\n" + "  push:\n" * 3000,
        " " * 20_000,
        "- x\n" * 5000,
        "branches:\n" * 2000,
        "environment: x\n" * 1500,
    ):
        for path in (GITHUB, ".gitlab-ci.yml", "Jenkinsfile"):
            deploys_on_push(path, text + JOB, "main")
    assert time.process_time() - start < 3
