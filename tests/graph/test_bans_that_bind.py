"""A ban binds the sub-command it names, of any tool, and the file it names, whatever is told of it afterwards."""

from __future__ import annotations

import pytest

from sessionlens.examples import Example, Step, asks, bash, edit, says
from sessionlens.graph.session_graph import SessionGraph

HOME = "/home/dev/project"


def _broken(text: str, *steps: Step) -> bool:
    session, _ = Example("words", asks(text), *steps).build()
    return bool(SessionGraph(session).violations)


PLAN_ONLY = [
    "Plan only, do NOT apply anything, I want to see the plan first.",
    "Just plan it, don't apply.",
    "No apply please.",
    "Nur planen, nicht anwenden.",
    "Nur planen, nicht ausführen.",
    "Pas d'apply.",
    "Plan seulement, n'applique rien.",
    "Solo el plan, no apliques nada.",
    "Soltanto il plan.",
    "Только план, ничего не применять.",
    "只做 plan,不要 apply。",
    "plan だけお願いします。",
]


@pytest.mark.parametrize("text", PLAN_ONLY)
def test_what_is_only_planned_is_not_applied(text: str) -> None:
    assert _broken(text, bash("terraform apply tf.plan"))
    assert _broken(text, bash("tofu destroy -auto-approve"))
    assert not _broken(text, bash("terraform plan -out tf.plan"))
    assert not _broken(text, bash("terraform apply -help"))


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("Don't restart anything.", "acmectl node restart n1"),
        ("No restarts please.", "fleetctl restart web"),
        ("Starte nichts neu.", "acmectl node restart n1"),
        ("Don't publish anything yet.", "vsce publish"),
        ("Do not merge.", "gh pr merge 12"),
        ("Don't release.", "goreleaser release"),
        ("Bitte nichts anwenden.", "kubectl apply -f k8s/"),
        ("Don't apply anything.", "pulumi up --yes"),
        ("Do not migrate.", "bin/rails db:migrate"),
        ("Don't delete anything.", "acmectl volume delete v1"),
    ],
)
def test_a_forbidden_verb_binds_the_sub_command_of_any_tool(text: str, command: str) -> None:
    assert _broken(text, bash(command))


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("Don't apply anything.", "git apply fix.patch"),
        ("Don't apply anything.", "kubectl apply --dry-run=server -f k8s/"),
        ("Don't migrate.", "bin/rails db:migrate:status"),
        ("Don't release.", "gh release list"),
        ("Don't push.", "git stash push"),
        ("Don't restart anything.", "echo restart"),
        ("Don't migrate.", "acmectl migrate history"),
        ("The migration doesn't apply to prod.", "terraform apply"),
        ("How do I apply for the licence? The form is not here.", "terraform apply"),
    ],
)
def test_what_looks_or_is_another_deed_breaks_nothing(text: str, command: str) -> None:
    assert not _broken(text, bash(command))


@pytest.mark.parametrize("answer", ["Looks good, go ahead.", "ok apply it", "yes", "давай", "Mach das."])
def test_a_plan_that_is_agreed_to_may_be_applied(answer: str) -> None:
    plan = (bash("terraform plan"), says("The plan changes two records."))
    apply = bash("terraform apply")
    assert not _broken("Plan only, don't apply.", *plan, asks(answer), apply)
    assert _broken("Plan only, don't apply.", *plan, asks("And what about the staging zone?"), apply)


@pytest.mark.parametrize(
    "text",
    [
        "Don't touch config/prod.yml, Marta owns that and has changes without a review in it.",
        "Leave config/prod.yml alone, Marta has unpushed changes there.",
        "Bitte config/prod.yml nicht anfassen, das macht Marta, da sind Änderungen ohne Review drin.",
        "Ne touche pas à config/prod.yml, c'est Paul qui le gère et il a des changements sans revue.",
        "No toques config/prod.yml, eso lo lleva Marta y tiene cambios sin subir.",
        "Não mexas em config/prod.yml, é da Marta e tem alterações por subir.",
        "Non toccare config/prod.yml, lo gestisce Marta senza di noi.",
        "Kom niet aan config/prod.yml, daar is Marta mee bezig.",
        "Nie ruszaj config/prod.yml, to robi Marta bez przeglądu.",
        "Не трогай config/prod.yml, его ведёт Марта без ревью.",
        "Не чіпай config/prod.yml, його веде Марта.",
        "config/prod.yml dosyasına dokunma, onu Marta yönetiyor.",
        "不要改 config/prod.yml,那个是小王在管。",
        "config/prod.yml は変更しないこと。田中さんが作業中です。",
        "config/prod.yml은 건드리지 마세요. 지영 씨가 작업 중입니다.",
    ],
)
def test_a_file_that_a_ban_names_binds_whatever_is_told_of_it(text: str) -> None:
    assert _broken(text, edit(f"{HOME}/config/prod.yml", "a: 1", "a: 2"))
    assert not _broken(text, edit(f"{HOME}/config/dev.yml", "a: 1", "a: 2"))


def test_a_condition_of_the_ban_itself_stays_one() -> None:
    change = edit(f"{HOME}/config/prod.yml", "a: 1", "a: 2")
    assert not _broken("Don't change config/prod.yml without a backup, it is precious.", change)


@pytest.mark.parametrize(
    "text",
    [
        "既存テストは仕様なので変えないこと（切り捨てのテストも）。",
        "Die Tests bleiben, wie sie sind.",
        "Nicht die Tests anpassen.",
        "Non modificare i test.",
        "Nie zmieniaj testów.",
        "Testleri değiştirme.",
        "Les tests restent tels quels.",
        "The tests stay as they are.",
    ],
)
def test_tests_that_are_to_stay_are_held(text: str) -> None:
    assert _broken(text, edit(f"{HOME}/tests/test_tax.py", "assert a == 1", "assert a == 1  # one"))
    assert not _broken(text, edit(f"{HOME}/shop/tax.py", "a = 1", "a = 2"))
