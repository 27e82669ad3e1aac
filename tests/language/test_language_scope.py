"""Near misses: the same words, told from each other by what stands around them."""

import pytest

from sessionlens import language
from sessionlens.language import engine

ACK, PROGRESS, FAILURE = "acknowledges_cut_off", "reports_in_progress", "reports_failure"
SUCCESS, CHECK, UNVERIFIED = "claims_success", "claims_check", "admits_unverified"
HEDGE, PROMISE, HANDS = "hedges", "promises_check", "hands_over"


def acts(text: str, role: engine.Role = "assistant") -> set[str]:
    return {act.act for act in language.read(text, role).acts()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The restart timed out.", {ACK}),
        ("The restart did not time out.", set()),
        ("Die Schlüssel passen zusammen – und dass der Neustart noch nicht zurückgekommen war.", {ACK}),
        ("Der Schlüssel liegt da, und der Neustart hat sich noch nicht zurückgemeldet.", {ACK}),
        ("Der Schlüssel liegt da, und der Neustart ist zurückgekommen.", {SUCCESS}),
        ("No timeout this time.", set()),
        ("If it times out, I look at it tomorrow.", set()),
        ("Please set proxy_read_timeout to 60s.", {HANDS}),
        ("`upstream timed out while connecting`", set()),
        ("> The command timed out", set()),
        ("    2026-02-11 14:03:10 ERROR upstream timed out", set()),
        ("```\nThe command timed out.\n```", set()),
        ("## When the restart timed out", set()),
        ("nginx is up and running.", {SUCCESS}),
        ("nginx isn't running.", {FAILURE}),
        ("nginx is not up yet.", {PROGRESS}),
        ("nginx should be running now.", {HEDGE}),
        ("nginx is probably running.", {HEDGE}),
        ("nginx will be restarted.", set()),
        ("Once nginx is running, the probe passes.", set()),
        ("Make sure nginx is running.", set()),
        ("I can't confirm that nginx is running.", {UNVERIFIED}),
        ("Let me check whether nginx is running.", {PROMISE}),
        ("I'll restart the service.", set()),
        ("I verified the config.", {CHECK}),
        ("I haven't verified the config.", {UNVERIFIED}),
        ("The restart timed out, but it may still be loading; I'll check the logs.", {ACK, PROGRESS, PROMISE}),
        ("Я не проверял, работает ли сервис.", {UNVERIFIED}),
        ("Der Dienst läuft nicht.", {FAILURE}),
        ("Der Dienst läuft noch nicht.", {PROGRESS}),
        ("El servicio no funciona.", {FAILURE}),
        ("服务没有重启。", set()),
    ],
)  # fmt: skip
def test_near_misses(text: str, expected: set[str]) -> None:
    assert acts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {"continuation"}),
        ("continue", {"continuation"}),
        ("don't touch prod", {"constrains"}),
        ("you can restart it", {"authorises"}),
        ("can you restart it?", {"new_direction"}),
        ("is it up?", {"asks_state"}),
        ("still broken", {"complaint"}),
    ],
)
def test_a_person(text: str, expected: set[str]) -> None:
    assert acts(text, "user") == expected


def test_what_an_act_speaks_of() -> None:
    found = {
        act.act: act.about for act in language.read("The nginx service is running. I restarted web-2.").acts()
    }
    assert found == {SUCCESS: "web-2"} or found[SUCCESS] in {"nginx service", "web-2"}
    first = language.read("The migration timed out.").acts()[0]
    assert (first.act, first.about) == (ACK, "migration")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The service is up again.", "en"), ("Der Dienst läuft wieder.", "de"), ("Сервис снова работает.", "ru"),
        ("Сервіс знову працює.", "uk"), ("服务恢复了。", "zh"), ("サービスは動いています。", "ja"),
        ("Le service est de nouveau en ligne.", "fr"), ("Tjänsten är igång igen och det fungerar.", "sv"),
        ("Služba je znovu v provozu, ale ještě ne na všech.", "cs"), ("Η υπηρεσία λειτουργεί ξανά.", "el"), ("השירות פועל שוב.", None),
        ("الخدمة تعمل الآن", "ar"), ("सेवा फिर से चल रही है।", "hi"),
        ("Tjenesten kører igen, og alt virker nu.", "da"), ("Tjenesten kjører igjen, og alt virker nå.", "no"),
        ("Služba znovu beží, ale ešte nie na všetkých serveroch.", None), ("Palvelu on taas käynnissä ja se toimii nyt.", None),
        ("سرویس دوباره اجرا شد و کار می‌کند", None), ("सेवा पुन्हा सुरू झाली आहे आणि ती आता चालू आहे.", None), ("nginx-1.25.3 --prefix=/usr", None),
    ],
)  # fmt: skip
def test_languages(text: str, code: str | None) -> None:
    assert language.read(text).language == code


def test_mixed_languages_are_judged_by_sentence() -> None:
    text = "I restarted the service on the host for you. Сервис пока не отвечает. Der Dienst läuft auf dem Host nicht."
    found = [{act.act for act in one.acts} for one in language.read(text).sentences]
    assert found[0] == {SUCCESS}
    assert found[1] & {FAILURE, PROGRESS}
    assert found[2] == {FAILURE}


def test_a_given_language_is_kept_and_one_without_a_lexicon_is_unknown() -> None:
    assert language.read("Done.", language="en").language == "en"
    assert language.read("✅ igång", language="sv").acts()[0].act == SUCCESS


def test_typed_without_accents() -> None:
    assert acts("O servico nao esta funcionando.") == {FAILURE}
    assert acts("Der Dienst laeuft wieder.") == {SUCCESS}
