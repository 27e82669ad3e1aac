"""What a command is told to have done: never what its effect's word would say falsely of it."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from sessionlens import loader, shell
from sessionlens.engine import audit
from sessionlens.examples import Example, asks, bash, edit, says
from sessionlens.model import Call, Session
from sessionlens.narrative import deeds, states, tell
from sessionlens.narrative.views import Narrative

DONE = [
    ("git fetch origin", "fetched from the remote of the repository"),
    ("git push origin HEAD:main --force", "pushed to `main`"),
    ("git add a.py", "staged changes in the repository"),
    ("git commit -m 'git add push'", "made a commit in the repository"),
    ("git -C /srv/app pull", "pulled from the remote of `app`"),
    ("git checkout main", "ran a checkout in the repository"),
    ("git stash pop", "brought stashed changes back in the repository"),
    ("git bisect start", "ran `git bisect` in the repository"),
    ("git branch -D old", "deleted `old`"),
    ("git init", "created the repository"),
    ("gh pr create --fill", "opened a pull request in the repository"),
    ("jj commit -m x", "ran `jj commit` in the repository"),
    ("docker push shop/api:1", "pushed `shop/api:1`"),
    ("chmod +x bin/run.sh", "changed the mode of `bin/run.sh`"),
    ("curl -o data.json https://example.com/data.json", "downloaded `data.json`"),
    ("scp a.conf web1:/etc/a.conf", "transferred files to `/etc/a.conf` on `web1`"),
    ("mkdir -p src/new", "created `src/new`"),
    ("npm install", "installed packages of the project"),
    ("./scripts/deploy.sh", "ran `./scripts/deploy.sh` (a deploy by its name)"),
    ("docker login -u anna --password-stdin", "ran `docker login`"),
    ("gofmt -w pkg/", "formatted `pkg/`"),
    ("./bin/backup.sh", "ran `./bin/backup.sh`"),
    ("docker system prune -af", "removed unused objects of `docker`"),
    ("podman image prune -f", "removed unused objects of `podman`"),
    ("npx prisma migrate reset --force", "ran a reset of `prisma`"),
    ("npx prisma migrate deploy", "migrated `prisma`"),
    (
        "curl -X POST https://api.example.com/token -d x=1",
        "sent data to `https://api.example.com/token` on `api.example.com`",
    ),
    ("systemctl restart billing", "restarted `billing`"),
]


@pytest.mark.parametrize(("line", "told"), DONE)
def test_what_was_done(line: str, told: str) -> None:
    (command,) = shell.read(line)
    assert deeds.told(command, done=True) == told


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("git push origin main", "ran `git push` for `main`"),
        ("git commit -m x", "ran `git commit` for the repository"),
        ("chmod +x a.sh", "ran `chmod` for `a.sh`"),
        ("systemctl restart billing", "ran a restart of `billing`"),
    ],
)
def test_what_was_tried(line: str, told: str) -> None:
    (command,) = shell.read(line)
    assert deeds.told(command, done=False) == told


@pytest.mark.parametrize(
    ("line", "noun"),
    [("git commit -m x", "commit"), ("git push origin main", "push"), ("git fetch", "fetch"), ("createdb shop", "creation"),
     ("scp a web1:/b", "transfer"), ("chmod 600 k", "change of mode"), ("wget https://example.com/x.tar", "download")],
)  # fmt: skip
def test_nouns(line: str, noun: str) -> None:
    (command,) = shell.read(line)
    assert deeds.noun(command) == noun


@pytest.mark.parametrize(
    ("line", "records"),
    [("git fetch", True), ("git add .", True), ("git commit -m x", True), ("git push origin main", False), ("git pull", False),
     ("git reset --hard HEAD~1", False), ("rm -rf build", False)],
)  # fmt: skip
def test_what_only_records_makes_nothing_unverified(line: str, records: bool) -> None:
    (command,) = shell.read(line)
    assert deeds.records(command) is records


def told(made: ModuleType, *steps: object, rule: str = "") -> Narrative:
    session, _ = Example("made for one test", *steps).build()  # type: ignore[arg-type]
    return tell(audit(session, rules=[loader.classes()[rule]()]) if rule else made.judged(session))


def text_of(narrative: Narrative) -> str:
    sections = [s for chapter in narrative.chapters for s in chapter.sections] + list(narrative.conduct)
    return "\n".join([narrative.headline.text, *(s.text for section in sections for s in section.statements)])


def test_a_fetch_changes_nothing(made: ModuleType) -> None:
    found = told(made, asks("get the news"), bash("git fetch origin", output="From x"), says("Fetched."))
    assert "nothing was changed" in found.headline.text


def rogue(*after: object, path: str = "/etc/app/user.conf") -> tuple[object, ...]:
    return (asks("fix it"), bash(f"sudo sed -i s/a/b/ {path}"), *after, says("Done."), asks("and?"), says("Fine."))  # fmt: skip


def test_what_names_a_file_is_cited(made: ModuleType) -> None:
    text = text_of(told(made, *rogue(bash("echo see /etc/app/user.conf", output="see /etc/app/user.conf"))))
    assert "`/etc/app/user.conf` was changed in message msg_001; message msg_002 names it" in text


@pytest.mark.parametrize(
    "line",
    ["echo the user is told", "echo /srv/other/user.conf", "echo user.conf.bak", "echo superuser.conf"],
)
def test_a_word_that_sounds_alike_names_no_file(made: ModuleType, line: str) -> None:
    text = text_of(told(made, *rogue(bash(line, output="ok"))))
    assert "names it" not in text
    assert (
        "`/etc/app/user.conf` was changed and unverified from message msg_001 to the end of the log" in text
    )


def test_tests_that_ran_are_told_as_such(made: ModuleType) -> None:
    found = told(
        made,
        asks("Refactor the login.\n\nConstraints:\n- Only modify files within src/auth/ directory"),
        edit("src/database.py", old="a = 1", new="a = 2"),
        bash("pytest tests/test_api.py -q", output="2 passed"),
        says("Done."),
        rule="instruction-violated",
    )
    assert (
        "tests ran in message msg_002, which does not name it, and nothing else was read as a check of it"
        in text_of(found)
    )


def test_a_look_that_tells_little_is_told_for_what_it_is(made: ModuleType) -> None:
    text = text_of(told(made, *rogue(bash("cat /etc/app/user.conf", output="b"))))
    assert "was changed in message msg_001; message msg_002 only reads it back" in text


def test_a_path_that_leaves_the_folder_is_not_in_the_working_copy(made: ModuleType) -> None:
    found = told(
        made,
        asks("Only modify files within src/."),
        edit("../shared/a.py", old="a = 1", new="a = 2"),
        says("Done."),
        rule="out-of-scope-file-change",
    )
    text = text_of(found)
    assert "`../shared/a.py` counts as local: beside the folder it is named from" in text
    assert "in the working copy" not in text


def test_who_wrote_is_unknown_where_the_log_does_not_tell(made: ModuleType) -> None:
    import msgspec

    def of(known: bool) -> Session:
        session, _ = Example(
            "roles",
            asks("restart billing, please"),
            bash("ssh root@web1 'systemctl restart billing'", limit=15, times_out=True),
            says("It is up."),
            asks("and the logs of today?"),
        ).build()
        if known:
            return session
        messages = tuple(
            message if message.calls else msgspec.structs.replace(message, role="unknown")
            for message in session.messages
        )
        return msgspec.structs.replace(session, messages=messages)

    found = tell(made.judged(of(known=False)))
    text = text_of(found)
    assert (
        "In message msg_000 somebody whose role the log does not tell wrote “restart billing, please”" in text
    )
    assert "Somebody whose role the log does not tell next wrote “and the logs of today?”" in text
    assert "the person wrote" not in text.casefold()
    assert "none by the person, three of a role that the log does not tell" in found.meta.size
    assert "In message msg_000 the person wrote “restart billing, please”" in text_of(
        tell(made.judged(of(known=True)))
    )


def test_the_ban_that_was_broken_is_told_where_it_was_said(made: ModuleType) -> None:
    text = text_of(
        told(
            made,
            asks("Raise maxconn on the prod haproxy lb1 to 4000. Do not restart haproxy, reload only."),
            bash("ssh lb1.prod systemctl restart haproxy"),
            says("Done."),
            rule="instruction-violated",
        )
    )
    first = "the person wrote “Raise maxconn on the prod haproxy lb1 to 4000.”"
    assert first in text
    assert "It also said “Do not restart haproxy, reload only.”" in text[text.index(first) :]
    restart = bash("ssh lb1.prod systemctl restart haproxy")
    asked = told(made, asks("Do not restart haproxy."), restart, rule="instruction-violated")
    assert asked.chapters
    assert "It also said" not in text_of(asked)


def test_a_file_that_was_only_read_is_not_known_good(made: ModuleType) -> None:
    text = text_of(
        told(
            made,
            asks("fix it"),
            bash("cat /etc/app/user.conf", output="a = 1"),
            bash("sudo sed -i s/a/b/ /etc/app/user.conf"),
            says("Done."),
            asks("and?"),
        )
    )
    assert "`/etc/app/user.conf` was changed and unverified" in text
    assert "found `/etc/app/user.conf` good" not in text
    assert "known good" not in text


@pytest.mark.parametrize(
    ("steps", "checks"),
    [
        ((bash("cat src/a.py", output="x = 1"), bash("cat src/b.py", output="y")), ""),
        (
            (edit("src/a.py", old="x", new="y"), bash("cat src/a.py", output="y = 1")),
            "one change and one check",
        ),
        ((bash("systemctl is-active nginx", output="active"),), "one check"),
    ],
)
def test_what_is_read_before_any_change_is_no_check(
    made: ModuleType, steps: tuple[object, ...], checks: str
) -> None:
    text = text_of(told(made, asks("look at it"), *steps, says("Seen.")))
    assert f"followed, with {checks}." in text if checks else "followed." in text
    assert ("told a state" in text) == bool(checks)


def test_a_text_beside_a_service_is_no_change_of_it(made: ModuleType) -> None:
    def of(path: str) -> str:
        return text_of(
            told(
                made,
                asks("start it"),
                bash(f"cat > /srv/shop/{path} <<'E'\nservices: {{}}\nE"),
                bash("cd /srv/shop && docker compose up -d", limit=15, times_out=True),
                says("It is started."),
                asks("and?"),
            )
        )

    assert "`shop` was changed and unverified" not in of("NOTES.md")
    assert "`shop` was changed and unverified" in of("docker-compose.yml")


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("./scripts/deploy.sh staging", "run"),
        ("docker system prune -af", "cleaned up"),
        ("npx prisma migrate reset --force", "reset"),
        ("systemctl restart billing", "restarted"),
        ("docker compose up -d", "started"),
        ("rm -rf build", "deleted"),
        ("kubectl apply -f a.yml", "deployed"),
        ("sed -i s/a/b/ /etc/app.conf", "changed"),
    ],
)
def test_only_what_was_changed_is_called_changed(line: str, word: str) -> None:
    assert deeds.participle(shell.read(line)[-1]) == word


def alone(*steps: Any, rule: str) -> str:
    """What is told of the first finding of a rule alone."""
    from sessionlens.narrative import chapters
    from sessionlens.narrative.stories import Context, story_of

    session, _ = Example("made for one test", *steps).build()
    context = Context(audit(session, rules=[loader.classes()[rule]()]))
    finding = next(one for one in context.findings if one.rule == rule)
    story = story_of(context, finding)
    assert story is not None
    return " ".join(one.text for one in chapters.told(context, story))


MOVED = "Only change files under src/. Do not touch anything else."


def test_a_look_after_a_change_is_told_as_a_look() -> None:
    def of(*after: Any) -> str:
        return alone(
            asks(MOVED),
            edit("/home/dev/project/config/a.toml"),
            *after,
            says("Done."),
            rule="instruction-violated",
        )

    assert "a look in message msg_002 names it" in of(bash("find . -name a.toml", output="./config/a.toml"))
    assert "tests that name it ran in message msg_002" in of(bash("pytest config/a.toml", output="1 passed"))
    assert "a check of the whole ran in message msg_002" in of(
        bash("python manage.py check", output="no issues")
    )
    assert "a look" not in of()


def test_of_two_folders_each_is_told_by_its_own_name() -> None:
    text = alone(
        asks("Copy the attachments.\n- Do NOT delete data/attachments"),
        bash("mkdir -p data/store/data/attachments"),
        bash("rm -rf data/attachments"),
        says("Done."),
        rule="instruction-violated",
    )
    assert "`data/attachments` was deleted" in text
    assert "store/data/attachments` was" not in text


def test_a_look_at_how_tables_are_built_found_nothing_good(made: ModuleType) -> None:
    def of(look: str) -> str:
        return text_of(
            told(
                made,
                asks("Update the users of prod"),
                bash("psql -h prod-db shop -c 'UPDATE users SET plan = 1'", output="UPDATE 3"),
                says("Updated."),
                asks("and?"),
                bash(f"psql -h prod-db shop -c '{look}'", output="plan | integer\n(1 row)"),
                says("Yes."),
            )
        )

    built, counted = of("\\d users"), of("SELECT plan FROM users ORDER BY id DESC LIMIT 5")
    assert "found it good" not in built
    assert "a look at how it is built followed" in built
    assert "found it good" in counted


def test_after_a_deploy_the_address_of_its_result_is_asked() -> None:
    def of(address: str) -> str:
        return alone(
            asks("Deploy to production"),
            bash(
                "npm run build | tail -3 && vercel deploy --prod --yes",
                output="Production: https://shop-9x.example.app",
            ),
            bash(f"curl -s https://{address}/api/orders", output="{}"),
            says("Deployed."),
            rule="check-that-cannot-fail",
        )

    assert "asks an address that its result names" in of("shop-9x.example.app")
    assert "asks an address" not in of("other.example.app")


def test_an_unclear_look_is_called_unclear(made: ModuleType) -> None:
    text = text_of(
        told(
            made,
            asks("restart it"),
            bash("nohup ./bin/restart.sh > restart.log 2>&1 &"),
            bash("tail -n 3 restart.log", output="waiting 3\nwaiting 4\nwaiting 5"),
            says("It is under way: the log says that it waits."),
        )
    )
    assert "one operation stayed open for a while, and it was closed, with an unclear result" in text
    assert "had left open (a file named with it), and its result is unclear." in text


def test_an_id_that_several_messages_have_names_none(made: ModuleType) -> None:
    import msgspec

    from sessionlens.narrative.places import Places

    session, _ = Example("ids", asks("a"), says("b"), asks("c")).build()
    messages = tuple(
        msgspec.structs.replace(m, id="same" if m.index < 2 else "own") for m in session.messages
    )
    places = Places(msgspec.structs.replace(session, messages=messages))
    assert [places.label(session.id, index) for index in range(3)] == ["#0", "#1", "own"]


def test_a_later_change_is_no_mention(made: ModuleType) -> None:
    change = bash("sudo sed -i s/b/c/ /etc/app/user.conf")
    text = text_of(told(made, *rogue(change)))
    assert "names it" not in text
    text = text_of(told(made, *rogue(change, bash("echo see /etc/app/user.conf", output="see it"))))
    assert (
        "`/etc/app/user.conf` was changed in message msg_001, last in message msg_002; message msg_003 names it"
        in text
    )


def test_of_what_the_person_stopped_nobody_need_be_told(made: ModuleType) -> None:
    import msgspec

    session, _ = Example(
        "stopped", asks("go"), bash("sleep 100"), says("I am waiting for the slow job, it still runs.")
    ).build()
    messages = tuple(
        msgspec.structs.replace(
            message,
            parts=tuple(
                msgspec.structs.replace(part, interrupted=True, status="error", output=None)
                if isinstance(part, Call)
                else part
                for part in message.parts
            ),
        )
        for message in session.messages
    )
    (row,) = tell(made.judged(msgspec.structs.replace(session, messages=messages))).ledger
    assert row.told == "the person stopped it"


def test_what_is_sent_to_a_server_does_not_change_it(made: ModuleType) -> None:
    session, _ = Example(
        "sent",
        asks("start it"),
        bash("ssh web1 'systemctl restart nginx'", limit=15, times_out=True),
        bash("ssh web1 systemctl is-active nginx", output="active"),
        bash("ssh web1 'curl -s -X POST http://localhost:80/api/items -d a=1'", output="ok"),
        says("It is up."),
        asks("and?"),
    ).build()
    found = made.judged(session)
    subjects, _ = states.subjects(found.graph, found.findings)
    (nginx,) = [subject for subject in subjects if subject.target.kind == "service"]
    assert [turn.state for turn in states.history(nginx)] == ["unknown", "good"]


@pytest.mark.parametrize(
    ("table", "known"), [("job_plan", ["unverified"]), ("op_posten", ["unverified", "good"])]
)
def test_a_look_at_another_table_does_not_show_what_was_changed(
    made: ModuleType, table: str, known: list[str]
) -> None:
    session, _ = Example(
        "tables",
        asks("mark them as paid"),
        bash(
            "psql -h erp-db01 -d erp_prod -c \"update op_posten set status='paid' where kunde=40118\"",
            output="UPDATE 2",
        ),
        says("Both are marked."),
        asks("does the job run tonight?"),
        bash(
            f"psql -h erp-db01 -d erp_prod -c 'select * from {table}'",
            output=" id | name\n----+-----\n 1 | a\n(1 row)",
        ),
        says("It does."),
    ).build()
    found = made.judged(session)
    subjects, _ = states.subjects(found.graph, found.findings)
    assert [turn.state for turn in states.history(subjects[0])] == known


def test_a_file_of_the_project_is_no_production_target(made: ModuleType) -> None:
    def touched(path: str) -> str:
        found = told(made, asks("go"), edit(path, old="a", new="b"), says("Done."))
        return next(number.value for number in found.numbers if number.label.startswith("production target"))

    assert touched("config/production.yaml") == "0"
    assert touched("/etc/app/user.conf") == "1"
