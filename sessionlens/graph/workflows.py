"""Whether a pipeline's configuration that the session shows deploys when a branch is pushed, and where.

Read as text, since what a session shows is often a part of the file: GitHub, Gitea and Forgejo workflows, GitLab,
CircleCI, Bitbucket, Azure, Drone, Woodpecker, Travis, Cloud Build, Jenkins, Render.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from sessionlens.cache import lazy
from sessionlens.places import environment_said
from sessionlens.targets import Environment

_WORKFLOW = lazy(r"(?:^|/)\.(?:github|gitea|forgejo)/workflows/[^/]+\.ya?ml$")
_PIPELINE = lazy(
    r"(?:^|/)(?:\.gitlab-ci\.yml|\.circleci/config\.yml|bitbucket-pipelines\.yml|azure-pipelines\.ya?ml|\.drone\.yml|\.travis\.yml"
    r"|\.woodpecker(?:\.ya?ml|/[^/]+)|cloudbuild\.ya?ml|Jenkinsfile|render\.ya?ml)$"
)
_DEPLOYS = lazy(
    r"\bdeploy|\brelease\b|\broll[- ]?out|\bpublish\b[^\n]{0,40}\b(?:site|pages|prod)|kubectl\s+(?:apply|set|rollout)|helm\s+upgrade|terraform\s+apply|pulumi\s+up"
    r"|ansible-playbook|vercel\b[^\n]{0,40}--prod|flyctl|fly\s+deploy|wrangler|rsync\s|appleboy/ssh-action|serverless\s+deploy|cdk\s+deploy|argocd\s+app\s+sync"
    r"|docker\s+(?:stack|compose)\s+(?:deploy|up)|ecs\s+update-service|gcloud\s+(?:run|app)\s+deploy|firebase\s+deploy|environment:\s*\n?\s*(?:name:\s*)?prod",
    re.IGNORECASE,
)
_COMMENT = lazy(r"(?:^|(?<=\s))(?:#|//)[^\n]*", re.MULTILINE)
_TOP_KEY = lazy(r"^(?=[\w.\"'-]+:)", re.MULTILINE)
_ON = lazy(r"^[\"']?on[\"']?:(?P<same>[^\n]*)\n?(?P<block>(?:[ \t]+[^\n]*\n?|\n)*)", re.MULTILINE)
_PUSH_BLOCK = lazy(
    r"^(?P<indent>[ \t]+)push:[^\n]*\n(?P<block>(?:(?P=indent)[ \t]+[^\n]*\n?|[ \t]*\n)*)", re.MULTILINE
)
_LISTED = lazy(r"^[ \t]*(?P<key>branches|branches-ignore|tags):[ \t]*(?:\[(?P<same>[^\]]*)\]|(?P<one>[^\s\[][^\n]*)|\n(?P<items>(?:[ \t]*-[^\n]*\n?)+))", re.MULTILINE)  # fmt: skip
_GUARDED = lazy(
    r"(?:refs/heads/|(?:ref_name|CI_COMMIT_BRANCH|CI_COMMIT_REF_NAME|GIT_BRANCH|BRANCH_NAME|Build\.SourceBranchName|TRAVIS_BRANCH|CIRCLE_BRANCH)\b\W{1,8}(?:==|=~|=)?\W{0,4}"
    r"|\bbranch\s+['\"]|^[ \t]*branch:\s*|^[ \t]*only:\s*)(?P<name>[\w][\w./*-]*)",
    re.MULTILINE,
)
_ONLY_LIST = lazy(r"^[ \t]*(?:only|branches):[ \t]*(?:\n[ \t]*(?:refs|only):[ \t]*)?(?:\[(?P<same>[^\]]*)\]|\n(?P<items>(?:[ \t]*-[ \t]*[\w./*\"'-]+[ \t]*\n?)+))", re.MULTILINE)  # fmt: skip
_BY_HAND = lazy(
    r"^[ \t]*when:\s*manual\b|^[ \t]*trigger:\s*manual|^[ \t]*type:\s*approval|^[ \t]*input\s", re.MULTILINE
)
_PLACES = lazy(
    r"(?:environment|env|deployment|name|stage|url)\W{1,4}\s*(?:name:\s*)?([^\n]{1,80})", re.IGNORECASE
)
_STAGING = lazy(r"(?<![a-z])(?:staging|stage[-_ ]env|stg|preview|uat|qa|pre-?prod\w*|dev|development|sandbox|test[-_ ]?(?:env|server|system))(?![a-z])", re.IGNORECASE)  # fmt: skip
_PRODUCTION = lazy(r"(?<![a-z-])(?:prod|production|live)(?![a-z])", re.IGNORECASE)


def deploys_on_push(path: str, text: str, branch: str) -> Environment | None:
    """The environment that a push to a branch deploys to, by the file at ``path``; ``None`` when it does not.

    ``branch`` may be empty where the session does not tell it: then any branch may be meant.
    """
    plain = _COMMENT.sub("", text[:20_000])
    if _WORKFLOW.search(path):
        return _environment(plain) if _DEPLOYS.search(plain) and _started_by(plain, branch) else None
    if not _PIPELINE.search(path):
        return None
    if "render." in path.rsplit("/", 1)[-1]:
        return None if re.search(r"autoDeploy:\s*(?:false|no|off)", plain, re.IGNORECASE) else "production"
    found: set[Environment] = set()
    whole = re.search(r"^[ \t]*(?:workflow|filters|branches|trigger):", plain, re.MULTILINE) is not None
    for job in _TOP_KEY.split(plain) if path.endswith(".gitlab-ci.yml") else (plain,):
        if _DEPLOYS.search(job) is None or job.startswith(("stages:", "variables:", "include:", "default:")):
            continue
        if _BY_HAND.search(job) is None and _on_branch(plain if whole and not _guards(job) else job, branch):
            found.add(_environment(job))
    return "production" if "production" in found else next(iter(sorted(found)), None)


def _started_by(text: str, branch: str) -> bool:
    """Whether a workflow starts when a branch is pushed."""
    head = _ON.search(text)
    if head is None:
        return False
    if re.search(r"\bpush\b", head["same"]):
        return _on_branch(text, branch)
    if re.search(r"^[ \t]*-\s*push\s*$", head["block"], re.MULTILINE):
        return _on_branch(text, branch)
    push = _PUSH_BLOCK.search(head["block"])
    if push is None:
        return re.search(
            r"^[ \t]*push:\s*(?:\{\}|null)?\s*$", head["block"], re.MULTILINE
        ) is not None and _on_branch(text, branch)
    lists = {found["key"]: _items(found) for found in _LISTED.finditer(push["block"])}
    if "branches" in lists:
        return not branch or any(fnmatchcase(branch, name) for name in lists["branches"])
    if "branches-ignore" in lists:
        return not any(fnmatchcase(branch, name) for name in lists["branches-ignore"])
    if "tags" in lists:
        return any(fnmatchcase(branch, name) for name in lists["tags"])
    return _on_branch(text, branch)


def _items(found: re.Match[str]) -> list[str]:
    groups = found.groupdict()
    listed = groups.get("same") or groups.get("one")
    parts = listed.split(",") if listed else re.findall(r"-\s*(\S+)", groups.get("items") or "")
    return [part.strip().strip("\"'").replace("**", "*") for part in parts]


def _guards(text: str) -> list[str]:
    names = [found["name"] for found in _GUARDED.finditer(text)]
    for found in _ONLY_LIST.finditer(text):
        names += _items(found)
    return [name for name in names if name]


def _on_branch(text: str, branch: str) -> bool:
    """Whether conditions on the branch, where there are any, let this one pass."""
    names = _guards(text)
    return not names or not branch or any(fnmatchcase(branch, name) for name in names)


def _environment(text: str) -> Environment:
    """The environment that a pipeline names: production unless it names only others."""
    if _PRODUCTION.search(text) or not _STAGING.search(text):
        return "production"
    told = {environment_said(f"on {place}") for place in _PLACES.findall(text)[:40]}
    return "development" if told - {None} == {"development"} else "staging"
