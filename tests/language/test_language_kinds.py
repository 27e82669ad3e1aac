"""Constructions, not phrases: what a sentence's grammar makes of words that act elsewhere."""

import pytest

from sessionlens import language
from sessionlens.language import split

ACK, PROGRESS, FAILURE = "acknowledges_cut_off", "reports_in_progress", "reports_failure"
SUCCESS, CHECK, UNVERIFIED = "claims_success", "claims_check", "admits_unverified"
HEDGE, PROMISE, HANDS, ASKS = "hedges", "promises_check", "hands_over", "asks_person"


def acts(text: str) -> set[str]:
    return {act.act for act in language.read(text).acts()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # What was done to look, with what came of it, is a check; its verb is no result.
        ("Opened the exported sheet to be sure: column C is blank.", {CHECK, FAILURE}),
        ("I went over all nine charts: none mentions the old registry.", {CHECK}),
        ("Ich habe alle neun Charts durchgesehen: keines nennt die alte Registry.", {CHECK}),
        ("J'ai parcouru les neuf charts : aucun ne cite l'ancien registre.", {CHECK}),
        ("Я просмотрел все девять чартов: ни один не ссылается на старый реестр.", {CHECK}),
        # One verb is told by the next in Turkish: to look, and to write of it.
        ("Dosyayı kontrol edip sana yazacağım.", {PROMISE}),
        ("Loga bakıp sana söyleyemem.", {UNVERIFIED}),
        # A headline has no verb of its own; a sentence with one is told by that verb.
        ("Sidebar moved to the left.", {SUCCESS}),
        ("Sidebars moved to the left are hidden on phones.", set()),
        ("Menüleiste nach links verschoben.", {SUCCESS}),
        # What now holds was done; what holds by itself may be either.
        ("Totals in the footer now include the discount.", {SUCCESS}),
        # What no longer goes wrong is success, what no longer works is failure.
        ("The preview no longer flickers.", {SUCCESS}),
        ("The preview no longer loads.", {FAILURE}),
        # What is done again and again describes.
        ("Thumbnails are resized by the worker on upload.", set()),
        ("The thumbnails were resized.", {SUCCESS}),
        ("This setup works because both sides share a key.", set()),
        ("This setup works now.", {SUCCESS}),
        # A count of zero is no failure.
        ("Ran the importer's tests: 37 passed, 0 failed.", {CHECK, SUCCESS}),
        ("2 der 37 Tests sind fehlgeschlagen.", {FAILURE}),
        # Going on beside something else is in progress, a condition is not.
        ("While the replica is still catching up, I am reading the config.", {PROGRESS}),
        ("While the replica catches up, writes are slow.", set()),
        # What still fails is no progress.
        ("Das Formular lädt immer noch nicht.", {FAILURE}),
        ("Форма до сих пор не загружается.", {FAILURE}),
        # A thing stuck in a state failed; a command that hangs was cut off.
        ("One member is stuck in `RECOVERING`.", {FAILURE}),
        # The limit that acts, in a sentence with its end: one thought.
        ("The timer closed my session before the dump was through.", {ACK}),
        ("Both were still copying when the limit of 20 s was reached.", {ACK}),
        # An order and what it is for.
        ("Please restart the dev server so the new settings are loaded.", {HANDS}),
        ("List the volumes to see which of them are mounted.", set()),
        # Relative clauses of a kind of thing describe.
        ("A probe that fails three times restarts the container.", set()),
        ("Rows that were changed since Monday are exported.", set()),
        # A condition told by word order, and one at the head of its clause.
        ("Schlägt die Prüfung fehl, landet die Zeile in der Liste.", set()),
        ("If the webhook is not verified in time, it is sent again.", set()),
        # A purpose that looks is a promise; a test to be written is none.
        ("Jetzt starte ich den Build, um zu sehen, ob der Alias greift.", {PROMISE}),
        ("I'll rename the failing test.", set()),
    ],
)  # fmt: skip
def test_constructions(text: str, expected: set[str]) -> None:
    assert acts(text) == expected


def test_boxes_that_are_not_ticked_and_options_claim_nothing() -> None:
    assert acts("- [ ] caches cleared\n- [x] caches cleared") == {SUCCESS}
    found = [one.acts for one in language.read("- [ ] caches cleared\n- [x] caches cleared").sentences]
    assert found[0] == ()
    assert acts("- `wait` (default `30`): seconds until a call is given up") == set()


def test_a_remark_of_a_review_tells_nothing_to_its_end() -> None:
    text = "- **High** – the retry loop never stops. The worker crashes then.\n\nI fixed the retry loop."
    found = {one.text: {act.act for act in one.acts} for one in language.read(text).sentences}
    assert found["The worker crashes then."] == set()
    assert found["I fixed the retry loop."] == {SUCCESS}


def test_a_question_that_is_answered_at_once_asks_nobody() -> None:
    assert ASKS not in acts("Why did it fail? A missing index.")
    assert ASKS in acts("I can restart it now. Should I restart it?")


def test_marks_before_the_first_word_belong_to_no_word() -> None:
    assert acts("**Sidebar moved to the left.**") == {SUCCESS}
    assert acts("🚀 Sidebar moved to the left") == {SUCCESS}
    assert [piece.kind for piece in split.pieces("🚀 Sidebar moved")] == ["prose"]


def test_the_fewest_words_that_show_an_act_are_its_span() -> None:
    act = language.read("The nightly migration of the ledger timed out.").acts()[0]
    assert (act.act, act.about) == (ACK, "nightly migration of the ledger")


@pytest.mark.parametrize(
    "text",
    [
        "Say the word and I'll check the logs.",
        "I'll check the logs if you want.",
        "Wenn du willst, schaue ich in die Logs.",
        "Si tu veux, je regarde les logs.",
        "Avísame y reviso el estado del servicio.",
        "É só dizer e eu verifico o estado.",
        "Se vuoi guardo i log.",
        "Zeg het maar, dan controleer ik de status.",
        "Daj znać, a sprawdzę stan usługi.",
        "При необходимости проверю логи.",
        "Скажи, і я перевірю стан.",
        "istersen loglara bakayım",
        "必要であればログを確認します。",
        "원하시면 로그를 확인해 보겠습니다.",
        "需要的话我来查一下状态。",
    ],
)
def test_what_hangs_on_the_persons_wish_is_no_promise(text: str) -> None:
    assert PROMISE not in acts(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'll check the logs now; tell me if you want more.",
        "Ich prüfe jetzt den Status; wenn du willst, auch den von app2.",
        "Birazdan loglara bakacağım.",
        "このあとログを確認します。",
        "잠시 후 로그를 확인하겠습니다.",
    ],
)
def test_a_promise_stays_one(text: str) -> None:
    assert PROMISE in acts(text)


@pytest.mark.parametrize(
    ("text", "described"),
    [
        ("nginx tourne normalement.", "Normalement, le service redémarre en deux minutes."),
        (
            "O serviço de faturas está a correr normalmente.",
            "Normalmente o serviço reinicia em dois minutos.",
        ),
        ("El servicio está funcionando normalmente.", "Normalmente el servicio se reinicia en dos minutos."),
        ("Il servizio fatture gira normalmente.", "Normalmente il servizio si riavvia in due minuti."),
        ("De factuurservice draait normaal.", "Normaal gesproken herstart de service in twee minuten."),
        ("The worker is running normally again.", "The service usually runs on app2."),
        ("IIS is back in business.", "IIS usually runs on WEB-2."),
        ("nginx est de nouveau en marche.", "nginx est en cours de démarrage."),
    ],
)
def test_how_a_service_runs_is_no_habit(text: str, described: str) -> None:
    assert SUCCESS in acts(text)
    assert SUCCESS not in acts(described)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("The restart reached node1 and node2 only.", "The restart reached every node."),
        ("Ausgerollt wurde nur auf node1 und node2.", "Ausgerollt auf alle drei Knoten."),
        ("Le redémarrage n'a atteint que node1 et node2.", "Le redémarrage a réussi sur les trois nœuds."),
        ("Solo se actualizaron dos de los tres nodos.", "Se actualizaron los tres nodos."),
        ("Aggiornati solo due nodi su tre.", "Aggiornati tutti e tre i nodi."),
        ("Оновлено лише два вузли з трьох.", "Оновлено всі три вузли."),
        ("再起動は node1 と node2 だけに届きました。", "再起動は全ノードで完了しました。"),
        ("재시작은 node1과 node2에만 적용되었습니다.", "재시작은 모든 노드에 적용되었습니다."),
    ],
)
def test_a_part_claims_no_whole(text: str, whole: str) -> None:
    assert SUCCESS not in acts(text)
    if not whole.startswith("The restart reached"):
        assert SUCCESS in acts(whole)


@pytest.mark.parametrize(
    ("text", "about"),
    [
        (
            "はい、昨夜のバックアップは 2 時に始まり、41 分ほどで問題なく完了しています。",
            "昨夜のバックアップ",
        ),
        ("デプロイは 14:05 に正常に完了しました。", "デプロイ"),
        ("部署在 14:05 成功完成了。", "部署"),
        ("배포는 14:05에 정상적으로 완료됐습니다.", "배포는"),
        ("nginx wurde um 14:05 erfolgreich neu gestartet.", "nginx"),
        ("Nocna kopia zaczęła się o 2 i po 41 minutach zakończyła się bez problemów.", "Nocna kopia"),
        ("Il servizio è stato riavviato alle 14:05.", "servizio"),
        ("node 2 is up again.", "node 2"),
        ("It started at 2:00 and finished cleanly after 41 minutes.", None),
        ("C'est bon : le service de facturation a été relancé sur fact-01.", "service de facturation"),
    ],
)
def test_a_time_is_no_subject(text: str, about: str | None) -> None:
    first = next(act for act in language.read(text).acts() if act.act == SUCCESS)
    assert (first.about or "").startswith(about or "")
    assert about is not None or first.about is None


@pytest.mark.parametrize(
    "text",
    [
        "no need, I'll look myself",
        "nicht nötig, ich schaue selbst nach",
        "pas la peine, je regarde moi-même",
        "no hace falta, lo miro yo",
        "não é preciso, eu vejo",
        "non serve, guardo io",
        "hoeft niet, ik kijk zelf",
        "nie trzeba, sam sprawdzę",
        "не надо, я сам посмотрю",
        "не треба, я сам подивлюсь",
        "gerek yok, ben bakıyorum",
        "大丈夫です、自分で見ます",
        "괜찮아요, 제가 볼게요",
        "不用了,我自己看",
    ],
)
def test_a_person_who_looks_forbids_the_look(text: str) -> None:
    assert "constrains" in {act.act for act in language.read(text, "user").acts()}


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("A ligação caiu a meio da migração.", ACK),
        ("Se cayó la conexión en plena migración.", ACK),
        ("De SSH-sessie sloot voordat ik het resultaat zag.", ACK),
        ("Sesja SSH zamknęła się, zanim zobaczyłem wynik.", ACK),
        ("SSH oturumu sonucu göremeden kapandı.", ACK),
        ("端末が60秒でコマンドを止めました。", ACK),
        ("재시작은 제때 아무것도 돌려주지 않았습니다.", ACK),
        ("It was still running when I stopped watching.", UNVERIFIED),
        ("Le service ne s'est pas relevé.", FAILURE),
        ("De deploy eindigde met code 1.", FAILURE),
        ("デプロイはコード1で終わりました。", FAILURE),
        ("배포가 코드 1로 끝났습니다.", FAILURE),
        ("Міграцію застосовано, проте індекс не створився.", FAILURE),
        ("La migrazione è filata liscia.", SUCCESS),
        ("Migrasyon pürüzsüz geçti.", SUCCESS),
        ("The snapshot restores cleanly.", SUCCESS),
    ],
)
def test_wordings_of_an_outcome(text: str, act: str) -> None:
    assert act in acts(text)


@pytest.mark.parametrize(
    "text",
    [
        "De deploy eindigde met code 0.",
        "Dağıtım 0 koduyla bitti.",
        "デプロイはコード0で終わりました。",
        "배포가 코드 0으로 끝났습니다.",
    ],
)
def test_a_code_of_zero_is_no_failure(text: str) -> None:
    assert FAILURE not in acts(text)


@pytest.mark.parametrize(
    "text",
    [
        "Der Dienst ist auf beiden Maschinen gestoppt.",
        "Aplikacja jest zatrzymana na obu maszynach.",
        "La base est arrêtée.",
        "Je relance.",
    ],
)
def test_what_is_stopped_claims_nothing_to_be_up(text: str) -> None:
    assert SUCCESS not in acts(text)


@pytest.mark.parametrize(
    "text",
    [
        "No confirmation within 30 s.",
        "No ack from the daemon in half a minute.",
        "The restart never reported back.",
        "I can't sign off on that one yet.",
        "Keine Bestätigung innerhalb von 30 s.",
        "Es kam bis zum Ende meiner halben Minute keine Silbe zurück.",
        "Für den Knoten kann ich das so nicht unterschreiben.",
        "Vom Dienst kam kein Lebenszeichen.",
        "Aucun accusé de réception en 30 secondes.",
        "Pas un mot en retour.",
        "Je ne peux pas m'en porter garant.",
        "Ningún acuse de recibo en medio minuto.",
        "Ni una palabra de vuelta.",
        "Sem confirmação em 30 s.",
        "Nem uma palavra de volta.",
        "Nessun riscontro in 30 secondi.",
        "Neanche una parola di ritorno.",
        "Geen ontvangstbevestiging gekregen.",
        "Daar kan ik niet voor instaan.",
        "Nie mogę za to ręczyć.",
        "Підтвердження за 30 с немає.",
        "Нічого не повернулося.",
        "Подтверждения за 30 с нет.",
        "Не могу за это поручиться.",
        "Geriye hiçbir şey dönmedi.",
        "Hiçbir teyit alamadım.",
        "30 秒内没有确认。",
        "何も返ってきませんでした。",
        "아무것도 돌아오지 않았습니다.",
        "이건 보증할 수 없습니다.",
    ],
)
def test_that_nothing_came_back_is_told(text: str) -> None:
    assert acts(text) & {ACK, UNVERIFIED}


@pytest.mark.parametrize(
    "text",
    [
        "The button asks for no word of thanks.",
        "I signed off on the pull request.",
        "Das Feld lässt sich nicht unterschreiben lassen.",
        "Der Text hat kein Wort zu viel.",
        "Le mot de passe n'est pas dans le fichier.",
        "No hay palabra clave en la cabecera.",
        "A função não tem valor de retorno.",
        "La funzione non ha valore di ritorno.",
        "Potwierdzenia nie trzeba.",
        "Підтвердження не потрібне.",
        "Подтверждение не нужно.",
        "Haber sayfası yok.",
        "函数没有返回值。",
        "関数は何も返しません。",
        "함수는 아무것도 반환하지 않습니다.",
    ],
)
def test_what_has_no_answer_by_nature_was_not_waited_for(text: str) -> None:
    assert ACK not in acts(text)


@pytest.mark.parametrize(
    "text",
    [
        "The restart finished cleanly within the time limit.",
        "Der Neustart wurde sauber innerhalb des Zeitlimits abgeschlossen.",
        "Le redémarrage s'est terminé correctement dans le délai imparti.",
        "El reinicio terminó correctamente dentro del límite de tiempo.",
        "A reinicialização terminou corretamente dentro do limite de tempo.",
        "Il riavvio è terminato correttamente entro il limite di tempo.",
        "De herstart is netjes binnen de tijdslimiet afgerond.",
        "Restart zakończył się poprawnie w limicie czasu.",
        "Перезапуск завершился корректно в пределах лимита времени.",
        "Перезапуск завершився коректно в межах ліміту часу.",
        "Yeniden başlatma zaman sınırı içinde sorunsuz tamamlandı.",
        "再起動は制限時間内に正常に完了しました。",
        "재시작은 제한 시간 안에 정상적으로 완료되었습니다.",
        "重启在时限内正常完成。",
    ],
)
def test_a_limit_that_was_kept_cut_nothing_off(text: str) -> None:
    assert not acts(text) & {ACK, FAILURE}


@pytest.mark.parametrize(
    "text",
    [
        "The restart did not finish within the time limit.",
        "Der Neustart wurde nicht innerhalb des Zeitlimits fertig.",
        "Le redémarrage ne s'est pas terminé dans le délai imparti.",
        "El reinicio no terminó dentro del límite de tiempo.",
        "A reinicialização não terminou dentro do limite de tempo.",
        "Il riavvio non è terminato entro il limite di tempo.",
        "De herstart is niet binnen de tijdslimiet afgerond.",
        "Restart nie zakończył się w limicie czasu.",
        "Перезапуск не завершился в пределах лимита времени.",
        "Перезапуск не завершився в межах ліміту часу.",
        "Yeniden başlatma zaman sınırı içinde tamamlanmadı.",
        "再起動は制限時間内に終わりませんでした。",
        "재시작은 제한 시간 안에 끝나지 않았습니다.",
        "重启没有在时限内完成。",
        "The restart timed out after 120 s.",
        "The timeout of 30 s struck before the dump was through.",
        "The dump stayed within the limit for an hour, then it was cut off.",
    ],
)
def test_a_limit_that_was_not_kept_cut_something_off(text: str) -> None:
    assert ACK in acts(text)


@pytest.mark.parametrize(
    "text",
    [
        "The restart did NOT time out.",
        "Der Neustart ist NICHT in den Timeout gelaufen.",
        "Le redémarrage n'a pas expiré.",
        "El reinicio NO expiró.",
        "O reinício não excedeu o tempo limite.",
        "Il riavvio NON è andato in timeout.",
        "IL RIAVVIO NON È ANDATO IN TIMEOUT.",
        "Il comando non ha superato il limite di tempo.",
        "Il dump non è stato interrotto.",
        "De herstart liep NIET tegen de tijdslimiet aan.",
        "De herstart is niet afgebroken.",
        "DE HERSTART LIEP NIET TEGEN DE TIJDSLIMIET AAN.",
        "Restart NIE przekroczył limitu czasu.",
        "RESTART NIE PRZEKROCZYŁ LIMITU CZASU.",
        "Zrzut nie został przerwany.",
        "Перезапуск НЕ превысил лимит времени.",
        "Перезапуск НЕ перевищив ліміт часу.",
        "Yeniden başlatma zaman aşımına UĞRAMADI.",
        "YENİDEN BAŞLATMA ZAMAN AŞIMINA UĞRAMADI.",
        "Yedekleme yarıda kesilmedi.",
        "再起動はタイムアウトしませんでした。",
        "ダンプは途中で打ち切られませんでした。",
        "재시작은 타임아웃되지 않았습니다.",
        "덤프는 중간에 끊기지 않았습니다.",
        "重启没有超时。",
    ],
)
def test_a_denied_cut_off_is_none(text: str) -> None:
    assert not acts(text) & {ACK, FAILURE}


@pytest.mark.parametrize(
    "text",
    [
        "The pool's timeout is 30 s.",
        "Der Timeout des Verbindungspools steht auf 30 Sekunden.",
        "Le timeout du pool est réglé sur 30 secondes.",
        "El timeout del pool de conexiones está configurado en 30 segundos.",
        "O timeout do pool de conexões está configurado em 30 segundos.",
        "Il timeout del pool di connessioni è impostato a 30 secondi.",
        "De time-out van de connection pool staat op 30 seconden.",
        "Limit czasu puli połączeń jest ustawiony na 30 sekund.",
        "Таймаут пула соединений составляет 30 секунд.",
        "Тайм-аут пулу з’єднань становить 30 секунд.",
        "Bağlantı havuzunun zaman aşımı 30 saniye olarak ayarlı.",
        "接続プールのタイムアウトは30秒に設定されています。",
        "커넥션 풀의 타임아웃은 30초로 설정되어 있습니다.",
        "连接池的超时设置为30秒。",
        "I raised statement_timeout to 60 s, so queries are no longer cut off.",
        "statement_timeout auf 60 s erhöht, Abfragen werden nicht mehr abgebrochen.",
        "J'ai mis statement_timeout à 60 s, les requêtes ne sont plus interrompues.",
        "He puesto statement_timeout en 60 s para que las consultas ya no se interrumpan.",
        "Aumentei o statement_timeout para 60 s, as consultas não são mais interrompidas.",
        "Ho aumentato statement_timeout a 60 s, così le query non vengono più interrotte.",
        "Ik heb statement_timeout op 60 s gezet, zodat queries niet meer worden afgebroken.",
        "Ustawiłem statement_timeout na 60 s, więc zapytania nie będą już przerywane.",
        "Я поднял statement_timeout до 60 с, запросы больше не прерываются.",
        "Я підняв statement_timeout до 60 с, запити більше не перериваються.",
        "statement_timeout değerini 60 sn yaptım, böylece sorgular artık yarıda kesilmeyecek.",
        "statement_timeoutを60秒にしたので、クエリはもう途中で打ち切られません。",
        "statement_timeout을 60초로 늘려서 쿼리가 더 이상 중간에 끊기지 않습니다.",
        "我把statement_timeout调到60秒，查询不会再被中断。",
    ],
)
def test_a_limit_that_is_set_is_at_most_a_success(text: str) -> None:
    assert acts(text) <= {SUCCESS}


@pytest.mark.parametrize(
    "text",
    [
        "If the restart times out, I will look again.",
        "If it times out I will look again.",
        "Wenn der Neustart in den Timeout läuft, prüfe ich erneut.",
        "Falls er abbricht, sehe ich noch einmal nach.",
        "Si le redémarrage expire, je revérifierai.",
        "Si el reinicio expira, volveré a comprobarlo.",
        "Se o reinício expirar, vou verificar de novo.",
        "Se il riavvio scade, ricontrollo.",
        "Als de herstart een time-out krijgt, kijk ik opnieuw.",
        "Jeśli restart przekroczy limit czasu, sprawdzę ponownie.",
        "Если перезапуск зависнет, я проверю ещё раз.",
        "Якщо перезапуск зависне, я перевірю ще раз.",
        "Yeniden başlatma zaman aşımına uğrarsa tekrar kontrol ederim.",
        "Eğer takılırsa günlüklere bakacağım.",
        "再起動がタイムアウトした場合は再確認します。",
        "재시작이 타임아웃되면 다시 확인하겠습니다.",
        "如果重启超时，我会再检查一次。",
    ],
)
def test_what_hangs_on_a_condition_is_no_promise(text: str) -> None:
    assert not acts(text) & {PROMISE, ACK, FAILURE}


@pytest.mark.parametrize(
    "text",
    [
        "It may have timed out, so I will look again.",
        "I'll check the logs now to see if it timed out.",
        "If it hung, that was the lock; but I will look at the logs now.",
        "Ich prüfe jetzt, ob der Neustart in den Timeout gelaufen ist.",
        "Ora passo a verificare i log.",
        "Teraz przejrzę logi.",
    ],
)
def test_a_promise_beside_a_condition_stays_one(text: str) -> None:
    assert PROMISE in acts(text)


@pytest.mark.parametrize(
    "text",
    [
        "Ik heb de herstart gestart maar hij is niet tot het einde gekomen, kijk het even na.",
        "Uruchomiłem restart, ale nie dobiegł końca, trzeba to sprawdzić ręcznie.",
        "Yeniden başlatmayı tetikledim ama sonuna kadar gitmedi, elle kontrol etmek gerekiyor.",
        "재시작을 걸었지만 끝까지 완료되지 않았으니 직접 확인해 주셔야 합니다.",
        "Nie umiem powiedzieć, czy postgres działa: komenda urwała się w połowie.",
        "De migratie is niet helemaal afgelopen.",
        "Migracja nie doszła do końca.",
        "Taşıma sonuna kadar ulaşmadı.",
        "マイグレーションは最後まで終わりませんでした。",
        "마이그레이션이 끝까지 가지 못했습니다.",
        "La migrazione non è arrivata alla fine.",
        "Połączenie urwało się w trakcie zrzutu.",
    ],
)
def test_what_did_not_come_to_its_end_is_told(text: str) -> None:
    assert acts(text) & {ACK, FAILURE, UNVERIFIED}


@pytest.mark.parametrize(
    "text",
    [
        "The restart avoided a timeout.",
        "We stayed clear of the timeout.",
        "Damit haben wir den Timeout vermieden.",
        "On a évité le timeout.",
        "Hemos evitado el timeout.",
        "Evitámos o timeout.",
        "Abbiamo evitato il timeout.",
        "We hebben de time-out vermeden.",
        "Uniknęliśmy timeoutu.",
        "Вдалося уникнути тайм-ауту.",
        "Удалось избежать таймаута.",
        "Zaman aşımından kaçındık.",
        "避免了超时。",
        "タイムアウトを回避しました。",
        "시간 초과를 피했습니다.",
        "Nothing was cut off.",
        "Elle n'a pas été interrompue.",
        "Команду не перервано.",
        "Non è scaduta.",
        "De opdracht is niet verlopen.",
        "시간이 초과되면 다시 실행하겠습니다.",
    ],
)
def test_a_cut_off_that_was_avoided_is_none(text: str) -> None:
    assert not acts(text) & {"acknowledges_cut_off", "admits_unverified", "reports_failure"}


def test_a_cut_off_beside_one_that_was_avoided_stays_one() -> None:
    assert "acknowledges_cut_off" in acts("It timed out; I avoided a second timeout by running it detached.")


@pytest.mark.parametrize(
    "text",
    [
        "I lost sight of the restart.",
        "I lost track of the restart.",
        "I never saw the restart finish.",
        "Ich habe den Neustart aus den Augen verloren.",
        "Ich habe nicht gesehen, ob der Neustart durchlief.",
        "J'ai perdu de vue le redémarrage.",
        "Perdí de vista el reinicio.",
        "Perdi de vista o reinício.",
        "Ho perso di vista il riavvio.",
        "Ik ben de herstart uit het oog verloren.",
        "Straciłem restart z oczu.",
        "Я втратив перезапуск з поля зору.",
        "Я потерял перезапуск из виду.",
        "Yeniden başlatmayı gözden kaçırdım.",
        "再起動を見失いました。",
        "재시작을 놓쳤습니다.",
    ],
)
def test_what_was_lost_sight_of_is_not_confirmed(text: str) -> None:
    assert "admits_unverified" in acts(text)


@pytest.mark.parametrize(
    "text",
    [
        "I never lost sight of the restart.",
        "If I lose sight of the restart, I'll say so.",
        "Ich habe den Neustart nie aus den Augen verloren.",
        "Je n'ai jamais perdu de vue le redémarrage.",
        "Non ho mai perso di vista il riavvio.",
        "Я не потерял перезапуск из виду.",
    ],
)
def test_what_was_never_lost_sight_of_is_no_admission(text: str) -> None:
    assert "admits_unverified" not in acts(text)
