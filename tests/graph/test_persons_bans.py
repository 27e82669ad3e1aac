"""What a person forbids in every language is held against the same deeds, and a description against none."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from sessionlens.examples import Example, Step, asks, bash, edit
from sessionlens.graph.session_graph import SessionGraph

HOME = "/home/dev/project"
WORDS = tomllib.loads(Path(__file__).with_name("persons_bans.toml").read_text(encoding="utf-8"))
PLAIN = tomllib.loads(Path(__file__).with_name("plain_bans.toml").read_text(encoding="utf-8"))
BREAKS = {
    "install": bash("npm install csv-stringify"),
    "push": bash("git push origin main"),
    "commit": bash("git commit -m 'add export'"),
    "prod": bash("kubectl --context prod apply -f api.yaml"),
    "look": edit(f"{HOME}/src/a.py", "x = 1", "x = 2"),
    "restart": bash("ssh app1 sudo systemctl restart nginx"),
    "delete": bash("rm -rf data/old.csv"),
    "deploy": bash("fly deploy"),
    "migrate": bash("alembic upgrade head"),
    "touch": edit(f"{HOME}/src/legacy/a.py", "x = 1", "x = 2"),
    "force": bash("npm audit fix --force"),
    "ask": bash("fly deploy"),
    "stage": bash("kubectl --context prod apply -f api.yaml"),
    "order": bash("git commit -m 'add export'"),
    "sudo": bash("sudo apt-get install jq"),
}
KEEPS = {
    "install": bash("npm run build"),
    "push": bash("git commit -m x"),
    "commit": bash("git status"),
    "prod": bash("kubectl --context staging apply -f api.yaml"),
    "look": bash("cat src/a.py"),
    "restart": bash("ssh app1 systemctl status nginx"),
    "delete": edit(f"{HOME}/src/a.py", "x = 1", "x = 2"),
    "deploy": bash("npm run build"),
    "migrate": bash("alembic current"),
    "touch": edit(f"{HOME}/src/pay.py", "x = 1", "x = 2"),
    "force": bash("npm audit fix"),
    "ask": bash("npm run build"),
    "stage": bash("kubectl --context staging apply -f api.yaml"),
    "order": bash("git status"),
    "sudo": bash("apt-get install jq"),
}


def _broken(text: str, *steps: Step) -> bool:
    session, _ = Example("words", asks(text), *steps).build()
    return bool(SessionGraph(session).violations)


@pytest.mark.parametrize("language", WORDS)
def test_a_ban_is_held_against_what_it_names(language: str) -> None:
    rows = [(kind, text) for kind, texts in WORDS[language].items() if kind != "desc" for text in texts]
    assert len(rows) >= 30
    assert [(kind, text) for kind, text in rows if not _broken(text, BREAKS[kind])] == []
    assert [(kind, text) for kind, text in rows if _broken(text, KEEPS[kind])] == []


@pytest.mark.parametrize("language", WORDS)
def test_a_description_forbids_nothing(language: str) -> None:
    assert [text for text in WORDS[language]["desc"] if _broken(text, *BREAKS.values())] == []


@pytest.mark.parametrize(
    ("ban", "order"),
    [
        ("Nie pushuj.", "Teraz wypychaj."),
        ("Push niets.", "Push het nu."),
        ("Push yapma.", "Şimdi push yap."),
        ("Не пушь.", "Теперь пушь."),
    ],
)
def test_a_later_order_lifts_a_ban(ban: str, order: str) -> None:
    assert _broken(ban, BREAKS["push"])
    assert not _broken(ban, asks(order), BREAKS["push"])


@pytest.mark.parametrize(
    "text",
    [
        "Starte den Datenbankdienst nicht neu.",
        "Nie restartuj postgresa.",
        "Herstart de database niet.",
        "Ne redémarre pas la base de données.",
        "postgres'i yeniden başlatma.",
        "postgresは再起動しないでください。",
    ],
)
def test_another_thing_is_not_meant(text: str) -> None:
    assert not _broken(text, BREAKS["restart"])


@pytest.mark.parametrize(
    "text",
    [
        "nothing to commit, working tree clean",
        "nichts zu committen, Arbeitsverzeichnis unverändert",
        "rien à committer, la copie de travail est propre",
        "niets om te committen, de werkmap is schoon",
        "niente da committare",
    ],
)
def test_what_a_tool_said_forbids_nothing(text: str) -> None:
    assert not _broken(text, BREAKS["commit"])


LEAVES_ALONE = {
    "restart": bash("ssh app1 systemctl status nginx"),
    "ask": bash("ssh app1 systemctl status nginx"),
    "word": bash("ssh app1 systemctl status nginx"),
    "look": bash("cat src/a.py"),
    "touch": edit(f"{HOME}/src/pay.py", "x = 1", "x = 2"),
    "push": bash("git commit -m x"),
}
IN_PRODUCTION = bash("ssh app1.prod sudo systemctl restart nginx")


@pytest.mark.parametrize("language", PLAIN)
def test_a_ban_in_few_words_is_held_too(language: str) -> None:
    breaks = BREAKS | {"restart": IN_PRODUCTION, "ask": IN_PRODUCTION, "word": IN_PRODUCTION}
    rows = [(kind, text) for kind, texts in PLAIN[language].items() if kind != "free" for text in texts]
    assert len(rows) >= 14
    assert [row for row in rows if not _broken(row[1], breaks[row[0]])] == []
    assert [row for row in rows if _broken(row[1], LEAVES_ALONE[row[0]])] == []


@pytest.mark.parametrize("language", PLAIN)
def test_leave_questions_and_what_is_told_forbid_nothing(language: str) -> None:
    assert [text for text in PLAIN[language]["free"] if _broken(text, *BREAKS.values())] == []


@pytest.mark.parametrize(
    ("ban", "order", "lifted"),
    [
        ("Pusha inte.", "Pusha nu.", True),
        ("Nepushuj nic.", "Teď to pushni.", True),
        ("لا تدفع.", "الآن ادفع.", True),
        ("पुश मत करो।", "अब पुश करो।", True),
        ("Push ikke noget.", "Push det nu.", True),
        ("Μην κάνεις push.", "Κάνε push τώρα.", True),
        ("Pusha inte.", "Omstarten gick bra.", False),
        ("Pusha inte förrän jag har godkänt.", "Jag har tittat, godkänt.", True),
        ("Nepushuj, dokud to neschválím.", "Schváleno.", True),
        ("لا تدفع حتى أوافق.", "أوافق", True),
        ("जब तक मैं न कहूँ, पुश मत करो।", "मंज़ूर है", True),
        ("Ikke push før jeg har godkjent.", "Godkjent.", True),
        ("Μην κάνεις push μέχρι να πω.", "Εγκρίνεται.", True),
    ],
)
def test_an_order_or_approval_lifts_a_ban_that_a_lexicon_told(ban: str, order: str, lifted: bool) -> None:
    assert _broken(ban, BREAKS["push"])
    assert _broken(ban, asks(order), BREAKS["push"]) is not lifted
