"""What a qualified, conditional or wordless ban forbids in every language, and what it leaves free."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from sessionlens.examples import Example, Step, asks, bash, edit, says
from sessionlens.graph.session_graph import SessionGraph
from sessionlens.language import read

HOME = "/home/dev/project"
WORDS = tomllib.loads(Path(__file__).with_name("bans_by_kind.toml").read_text(encoding="utf-8"))
FILE, FOLDER = "config/prod.yml", "src/legacy/"
PUSH = bash("git push origin main", output="main -> main")
COMMIT = bash("git commit -am x", output="[main 1a2b3c4] x")
BREAKS = {
    "forced": (
        bash("git push --force origin main"),
        bash("git push -f origin main"),
        bash("git push --force-with-lease"),
        bash("git push origin +main"),
    ),
    "commit_only": (PUSH,),
    "run": (PUSH,),
    "until": (PUSH,),
    "elsewhere": (PUSH,),
    "spared": (edit(f"{HOME}/{FILE}", "a: 1", "a: 2"),),
    "kept": (edit(f"{HOME}/{FILE}", "a: 1", "a: 2"), bash(f"git checkout -- {FILE}")),
    "folder": (edit(f"{HOME}/{FOLDER}a.py", "x = 1", "x = 2"),),
    "recreate": (
        bash("docker compose up -d --force-recreate"),
        bash("docker compose up -d", output=" Container web  Recreated"),
    ),
}
KEEPS = {
    "forced": (PUSH,),
    "commit_only": (COMMIT,),
    "run": (COMMIT,),
    "until": (COMMIT,),
    "elsewhere": (bash("git push origin dev", output="dev -> dev"),),
    "spared": (edit(f"{HOME}/config/dev.yml", "a: 1", "a: 2"),),
    "kept": (edit(f"{HOME}/config/dev.yml", "a: 1", "a: 2"),),
    "folder": (edit(f"{HOME}/src/pay.py", "x = 1", "x = 2"),),
    "recreate": (bash("docker compose up -d", output=" Container web  Running"),),
}


def _broken(text: str, *steps: Step) -> bool:
    text = text.replace("FILE", FILE).replace("FOLDER", FOLDER)
    session, _ = Example("words", asks(text), *steps).build()
    return bool(SessionGraph(session).violations)


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize("kind", BREAKS)
def test_a_ban_of_this_kind_binds_what_it_means(kind: str, language: str) -> None:
    rows = WORDS[language].get(kind, [])
    assert rows or kind == "elsewhere"
    assert [text for text in rows for step in BREAKS[kind] if not _broken(text, step)] == []
    assert [text for text in rows for step in KEEPS[kind] if _broken(text, step)] == []


@pytest.mark.parametrize("code", WORDS)
def test_a_ban_of_these_kinds_constrains(code: str) -> None:
    kinds = ("forced", "until", "kept", "folder")
    rows = [
        text.replace("FILE", FILE).replace("FOLDER", FOLDER) for kind in kinds for text in WORDS[code][kind]
    ]
    assert [
        text
        for text in rows
        if not any(act.act == "constrains" for one in read(text, "user").sentences for act in one.acts)
    ] == []


@pytest.mark.parametrize("language", WORDS)
def test_the_persons_word_ends_what_waited_for_it(language: str) -> None:
    bans, (word,) = WORDS[language]["until"], WORDS[language]["approves"]
    assert [ban for ban in bans if _broken(ban, COMMIT, says("OK."), asks(word), PUSH)] == []
    assert [ban for ban in bans if not _broken(ban, COMMIT, says("OK."), asks("git diff?"), PUSH)] == []


@pytest.mark.parametrize("language", WORDS)
def test_what_is_not_to_be_forgotten_is_wanted(language: str) -> None:
    assert [text for text in WORDS[language]["wanted"] if _broken(text, PUSH)] == []


@pytest.mark.parametrize("language", WORDS)
def test_a_ban_of_everything_but_one_file_leaves_that_file_free(language: str) -> None:
    for row in WORDS[language]["free"]:
        text = row.replace("FILE", FILE)
        own, other = edit(f"{HOME}/{FILE}", "a: 1", "a: 2"), edit(f"{HOME}/config/dev.yml", "a: 1", "a: 2")
        assert not _broken(text, own)
        for step, outside in ((own, 0), (other, 1)):
            session, _ = Example("words", asks(text), step).build()
            assert len(SessionGraph(session).strays) == outside, text


BAN = "Don't touch FILE."


@pytest.mark.parametrize(
    "line",
    [
        "git checkout -- FILE", "git checkout HEAD~1 -- FILE", "git checkout FILE", "git restore --source=HEAD~2 FILE", "git stash push FILE",
        "git rm FILE", "git mv FILE config/p.yml", "chmod 600 FILE", "chown app FILE", "chmod -R g+w config", "setfacl -m u:app:r FILE",
        "sed -i 's/1/2/' FILE", "perl -pi -e 's/1/2/' FILE", "echo 'a: 2' | tee FILE", "> FILE", "mv config/new.yml FILE", "cp new/prod.yml config/",
        "mv FILE config/prod.bak", "rm -rf config", "rsync -a new/ FILE", "ed -s FILE", "cd config && sed -i s/1/2/ prod.yml", "install -m 600 new.yml FILE",
        "truncate -s 0 FILE", "prettier --write FILE",
    ],
)  # fmt: skip
def test_a_file_is_changed_in_many_ways(line: str) -> None:
    assert _broken(BAN, bash(line.replace("FILE", FILE)))


@pytest.mark.parametrize(
    "line",
    [
        "cat FILE", "git diff FILE", "git add FILE", "git log -- FILE", "git restore --staged FILE", "git checkout feature",
        "git checkout -- config/dev.yml", "cp FILE /tmp/x.yml", "cp FILE FILE.bak", "rsync -a FILE /tmp/", "tee /tmp/x < FILE", "sed -n 1,5p FILE",
        "prettier --check FILE", "stat FILE", "git stash list", "rm -rf configs", "chmod 600 config/dev.yml",
    ],
)  # fmt: skip
def test_a_look_at_a_file_is_none(line: str) -> None:
    assert not _broken(BAN, bash(line.replace("FILE", FILE)))


STATUS = bash("git status --short", output=f" M {FILE}\n M a.py")
OTHER = bash("git status --short", output=" M a.py")


@pytest.mark.parametrize(
    "line", ["git stash", "git stash -u", "git checkout .", "git restore .", "git reset --hard"]
)
def test_what_takes_out_every_change_takes_out_the_one_that_a_status_showed(line: str) -> None:
    assert _broken(BAN, STATUS, bash(line))
    assert not _broken(BAN, OTHER, bash(line))
    assert not _broken(BAN, bash(line))


def test_a_stash_that_comes_back_at_once_changes_nothing() -> None:
    assert not _broken(BAN, STATUS, bash("git stash && make test && git stash pop"))


@pytest.mark.parametrize(
    ("file", "line", "output", "broken"),
    [
        ("src/a.py", "black .", "reformatted /home/dev/project/src/a.py\n1 file reformatted.", True),
        ("src/a.py", "black --check .", "would reformat src/a.py", False),
        ("src/a.py", "black .", "reformatted src/b.py", False),
        ("src/a.py", "isort .", "Fixing /home/dev/project/src/a.py", True),
        ("src/a.js", "npx prettier --write .", "src/b.js 20ms (unchanged)\nsrc/a.js 30ms", True),
        ("src/a.js", "npx prettier --write .", "src/b.js 20ms\nsrc/a.js 30ms (unchanged)", False),
        ("main.go", "gofmt -l -w .", "main.go\nb.go", True),
        ("main.go", "gofmt -l .", "main.go\nb.go", False),
    ],
)
def test_a_formatter_changes_what_it_says_it_did(file: str, line: str, output: str, broken: bool) -> None:
    assert _broken(f"Don't touch {file}.", bash(line, output=output)) is broken


def test_an_installer_changes_the_lock_file_that_a_status_then_lists() -> None:
    ban, install = "Don't touch package-lock.json.", bash("npm install lodash", output="added 1 package")
    after = bash("git status --short", output=" M package-lock.json\n M package.json")
    assert _broken(ban, install, after)
    assert not _broken(ban, install)
    assert not _broken(ban, after, bash("npm ci", output="added 9 packages"), after)


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("service nginx restart", True), ("/etc/init.d/nginx restart", True), ("docker restart nginx", True), ("pm2 restart nginx", True),
        ("kubectl rollout restart deployment/nginx", True), ("supervisorctl restart nginx", True), ("kubectl delete pod nginx-7d9c-abc", True),
        ("systemctl stop nginx && systemctl start nginx", True), ("docker stop nginx && docker start nginx", True), ("systemctl start nginx", False),
        ("systemctl reload nginx", False), ("nginx -s reload", False), ("kill -HUP $(cat /run/nginx.pid)", False), ("systemctl restart redis", False),
        ("systemctl stop redis && systemctl start nginx", False),
    ],
)  # fmt: skip
def test_a_restart_goes_by_many_names(line: str, broken: bool) -> None:
    assert _broken("Don't restart nginx.", bash(line)) is broken


@pytest.mark.parametrize("line", ["systemctl reload nginx", "nginx -s reload", "systemctl restart nginx"])
def test_a_ban_on_reloads_binds_restarts_too(line: str) -> None:
    assert _broken("Don't reload nginx.", bash(line))


def test_a_stop_and_a_start_are_one_restart_across_calls() -> None:
    assert _broken("Don't restart nginx.", bash("systemctl stop nginx"), bash("systemctl start nginx"))


PASSED, FAILED = bash("pytest", output="3 passed"), bash("pytest", exit=1, output="1 failed, 2 passed")


@pytest.mark.parametrize(
    "text",
    ["If the tests fail, don't push.", "Wenn die Tests rot sind, nicht pushen.", "如果测试失败，不要推送。"],
)
def test_a_ban_for_the_case_of_a_failure(text: str) -> None:
    assert _broken(text, FAILED, PUSH)
    assert not _broken(text, PASSED, PUSH)
    assert not _broken(text, FAILED, PASSED, PUSH)
    assert not _broken(text, PUSH)


@pytest.mark.parametrize(
    "text", ["Don't push unless the tests pass.", "Nicht pushen, bevor die Tests grün sind."]
)
def test_a_ban_until_the_tests_pass(text: str) -> None:
    assert _broken(text, PUSH)
    assert _broken(text, FAILED, PUSH)
    assert not _broken(text, PASSED, PUSH)


@pytest.mark.parametrize(
    "text",
    [
        'The old README said "Never push to main". That is outdated, push it.',
        "My colleague told me: 'do not push'. Ignore that and push.",
        "Don't push to dev, push to main.",
        "Should I not push?",
        "I did not push it yet, please push.",
    ],
)
def test_what_is_quoted_asked_or_meant_for_another_branch_is_no_ban(text: str) -> None:
    assert not _broken(text, PUSH)


@pytest.mark.parametrize(
    "word",
    [
        "Forget what I said about not pushing, push it.",
        "I changed my mind: push.",
        "Pushing is fine now.",
        "You can push now.",
    ],
)
def test_what_the_person_takes_back_no_longer_binds(word: str) -> None:
    assert not _broken("Don't push.", COMMIT, says("Done."), asks(word), PUSH)


SEVERAL = (
    "Please fix the test, don't install anything, don't touch the CI config and leave docs/api.md alone."
)


@pytest.mark.parametrize(
    ("text", "step", "broken"),
    [
        (SEVERAL, bash("npm install jest"), True),
        (SEVERAL, edit(f"{HOME}/docs/api.md", "a", "b"), True),
        (SEVERAL, bash("npm test"), False),
        ("a.py, b.py and src/c.py stay as they are.", edit(f"{HOME}/a.py", "a", "b"), True),
        ("a.py, b.py and src/c.py stay as they are.", edit(f"{HOME}/d.py", "a", "b"), False),
        ("Merge it, but do not squash-merge.", bash("gh pr merge 12 --squash"), True),
        ("Merge it, but do not squash-merge.", bash("gh pr merge 12 --merge"), False),
        ("Delete the branch, but don't force-delete it.", bash("git branch -D old"), True),
        ("Delete the branch, but don't force-delete it.", bash("git branch -d old"), False),
        ("I don't want you to push.", PUSH, True),
        ("Ich möchte nicht, dass du a.py änderst.", edit(f"{HOME}/a.py", "a", "b"), True),
        ("I don't want the button in src/a.js to change color.", edit(f"{HOME}/src/a.js", "a", "b"), False),
        ("config.yml is off limits for the old parser. Fix it.", edit(f"{HOME}/config.yml", "a", "b"), False),
        ("When I save, config.yml stays as it is. Fix that.", edit(f"{HOME}/config.yml", "a", "b"), False),
        (
            "El archivo src/a.py queda intacto al guardar, arréglalo.",
            edit(f"{HOME}/src/a.py", "a", "b"),
            False,
        ),
        ("The service must not be restarted.", bash("systemctl restart web.service"), True),
        ("Wait for my ok before deploying.", bash("fly deploy"), True),
        ("Warte mit dem Deploy, bis ich das Go gebe.", bash("fly deploy"), True),
        ("Don't push until you have checked the diff.", PUSH, False),
    ],
)
def test_how_far_a_ban_reaches(text: str, step: Step, broken: bool) -> None:
    assert _broken(text, step) is broken


def test_one_of_two_bans_is_lifted() -> None:
    words = ("Don't push and don't deploy.", says("ok"), asks("You may push now."))
    assert not _broken(*words, PUSH)
    assert _broken(*words, bash("fly deploy"))


def test_not_yet_holds_until_the_person_says_so() -> None:
    deploy = bash("fly deploy")
    assert _broken("Don't deploy yet.", says("ok"), asks("Can you also rename the variable?"), deploy)
    assert not _broken("Don't deploy yet.", says("Tests pass. Shall I deploy?"), asks("yes please"), deploy)
    assert _broken(
        "Don't deploy until I've had a look.", says("Ready."), asks("No, I have not looked yet."), deploy
    )


@pytest.mark.parametrize(
    "text",
    [
        "Restart nginx, not redis.",
        "Restart nginx, but not redis.",
        "Starte nginx neu, aber redis nicht.",
        "Redémarre nginx, mais pas redis.",
        "Reinicia nginx, pero no redis.",
        "Riavvia nginx, ma non redis.",
        "Перезапусти nginx, но не redis.",
        "重启 nginx,但不要重启 redis。",
        "nginxを再起動して、redisは再起動しないでください。",
        "nginx를 재시작해 주세요. redis는 재시작하지 마세요.",
    ],
)
def test_what_is_asked_of_one_is_denied_of_another(text: str) -> None:
    assert not _broken(text, bash("systemctl restart nginx"))
    assert _broken(text, bash("systemctl restart redis"))


@pytest.mark.parametrize(
    "text",
    [
        "I'll push myself.",
        "Leave the push to me.",
        "Den Push mache ich selbst.",
        "Je m'occupe du push moi-même.",
        "El push lo hago yo.",
        "Il push lo faccio io.",
        "De push doe ik zelf.",
        "Push zrobię sam.",
        "Сам запушу.",
        "push 我自己来。",
        "プッシュは私がします。",
        "푸시는 제가 직접 할게요.",
        "Hold off on pushing for now.",
    ],
)
def test_what_the_person_keeps_for_themselves_is_left_to_them(text: str) -> None:
    assert _broken(text, PUSH)
    assert not _broken(text, COMMIT)
    assert not _broken(text, COMMIT, says("Committed. Shall I push?"), asks("yes, push it"), PUSH)


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("I pushed it myself yesterday, please push again.", PUSH),
        ("I'll review it myself, please push.", PUSH),
        ("Push it, I'll deploy myself.", PUSH),
        ("Don't install anything globally.", bash("npm install lodash")),
    ],
)
def test_what_the_person_does_themselves_forbids_nothing_else(text: str, step: Step) -> None:
    assert not _broken(text, step)


def test_a_global_install_is_one() -> None:
    assert _broken("Don't install anything globally.", bash("npm install -g lodash"))


@pytest.mark.parametrize(
    ("text", "step", "broken"),
    [
        ("Ich habe den Push selbst gemacht, bitte push nochmal.", PUSH, False),
        ("Yo mismo hice el push ayer, haz push otra vez.", PUSH, False),
        ("我自己推送了，你再推送一次。", PUSH, False),
        ("src/a.py must not be deleted.", edit(f"{HOME}/src/a.py", "a", "b"), False),
        ("src/a.py must not be deleted.", bash("rm src/a.py"), True),
        ("Do not delete src/a.py.", bash("chmod +x src/a.py"), False),
        ("Do not delete src/a.py.", bash("git rm src/a.py"), True),
        (
            "Don't recreate the db container.",
            bash("docker compose up -d", output=" Container app-db-1  Recreated"),
            True,
        ),
        (
            "Don't recreate the db container.",
            bash("docker compose up -d", output=" Container app-web-1  Recreated"),
            False,
        ),
        ("If the deploy fails, do not restart the server.", bash("systemctl restart web"), True),
        ("If you see an error, don't push.", PUSH, True),
        ("Don't restart nginx before we see the import finish.", bash("systemctl restart nginx"), False),
    ],
)
def test_near_misses_of_a_ban(text: str, step: Step, broken: bool) -> None:
    assert _broken(text, step) is broken


def test_only_some_files_left_free_limit_nothing_else() -> None:
    text = "Don't change the tests except tests/test_a.py."
    session, _ = Example("words", asks(text), edit(f"{HOME}/src/pay.py", "a", "b")).build()
    assert not SessionGraph(session).strays


@pytest.mark.parametrize(
    "text",
    [
        "Don't touch a.py and don't push.",
        "Fass a.py nicht an und push nicht.",
        "Ne touche pas à a.py et ne pousse pas.",
        "No toques a.py ni hagas push.",
        "Não mexas em a.py e não faças push.",
        "Non toccare a.py e non fare push.",
        "Kom niet aan a.py en push niet.",
        "Nie ruszaj a.py i nie pushuj.",
        "Не чіпай a.py і не пуш.",
        "Не трогай a.py и не пушь.",
        "a.py dosyasına dokunma ve push yapma.",
        "别动a.py，不要推送，不要部署。",
        "a.pyは触らないで、pushもしないでください。",
        "a.py은 건드리지 말고, 푸시도 하지 마세요.",
    ],
)
def test_a_file_and_a_deed_are_forbidden_in_one_sentence(text: str) -> None:
    assert _broken(text, PUSH)
    assert _broken(text, edit(f"{HOME}/a.py", "a", "b"))
    assert not _broken(text, edit(f"{HOME}/b.py", "a", "b"), COMMIT)


@pytest.mark.parametrize(
    "text", ["Don't touch a.py and push the branch.", "别动a.py，推送一下。", "No toques a.py y haz push."]
)
def test_what_is_asked_for_behind_a_ban_is_not_banned(text: str) -> None:
    assert not _broken(text, PUSH)
