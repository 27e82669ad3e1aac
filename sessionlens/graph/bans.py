"""Bans as people write them outside English, and the few English ones without a verb of their own.

A ban is a short clause with a denial in it and a deed: ``żadnych restartów``, ``push niets``, ``yeniden başlatma
yok``, ``デプロイは禁止``. :func:`ban` reads one clause; :func:`meaning` gives a word of any language the English word
by which a command is known, or says that it tells nothing of what is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from sessionlens.cache import lazy
from sessionlens.graph import let_be
from sessionlens.language.split import is_question


class Ban(NamedTuple):
    """What one clause forbids."""

    clause: str
    """Its words."""
    core: str
    """Its words without the denial."""
    deeds: frozenset[str]
    """What is forbidden, in the words of :data:`.constraints.Deed`."""


_LONGEST = 600
"""Characters of a sentence that are read."""


_DEEDS: dict[str, str] = {
    "scale": r"(?:hoch|herunter)?skalieren?|skaliere|redimensionne[rz]?|escal(?:es|e|ar)|scalare|schaal|schalen|opschalen|skaluj|skalować|масштабируй(?:те)?|масштабировать|масштабуй(?:те)?|масштабувати|ölçekle(?:me)?|扩容|缩容|スケール|스케일",
    "apply": r"apply|applies|applied|anwenden|angewendet|wende\b.*\ban|appli(?:que[rz]?|quer|quons)|apli(?:ques|que|car|ca)|applicare|applica|toepassen|toegepast|pas\b.*\btoe|zastosuj|zastosować|stosuj|применяй(?:те)?|применять|застосовуй(?:те)?|застосовувати|uygulama|適用|적용|应用|套用",
    "install": r"install|installed|(?:nach)?installiere?n?|installe[rz]?|install(?:es|e[ns]?|ar)|instal(?:es|em|en?|ar)|installare|installeer|installeren|(?:za)?instaluj|(?:za)?instalować|устан[ао]вливай(?:те)?|ставь(?:те)?|(?:в|у)становлю(?:й|йте)|став(?:те)?|installiert|устанавливать|встановлювати|kurmak|kurma|yükleme|インストール|설치|安装|装",
    "reload": r"reloade?n?|neu ?laden|lade\b.*\bneu|recharge[rz]?|recarg(?:ues|ue|ar)|recarregu?(?:es|e|ar)|ricaricare|herlaad|herladen|przeładowuj|перечитывай|перечитуй|重新加载|重载|リロード|再読み込み|리로드",
    "recreate": r"neu ?(?:erstell(?:e?n|t)|anlegen|bauen)|erstell\w*\b.*\bneu|recrée[rz]?|recre(?:es|e|en|ar)|recri(?:es|e|em|ar)|ricreare|opnieuw\s+aan(?:maken)?|maak\b.*\bopnieuw\s+aan|twórz\b.*\bod nowa|odtwarzaj|пересоздавай(?:те)?|перестворюй(?:те)?|重建|重新创建|再作成|作り直|재생성|다시 만들",
    "push": r"pushed|push(?:e[nt]?|es|ować|uj|a|ów)?|pusch|pousse[rz]?|sub(?:as|a|ir)|envi(?:es|e|ar)|empuj(?:es|e)|pusha|empurr(?:es|e|ar)|pushare|spingere|inviare|(?:wy)?pychaj|(?:wy)?pychać|(?:за)?пуш(?:ь|и|ай|им|ить|ити|те|а|у|ей|ів)?|отправляй(?:те)?|відправляй(?:те)?|надсилай|push(?:lama)?|プッシュ|푸시|推送|推到?",
    "merge": r"merge[nrz]?|merges|gemergt|mergear|fusionne[rz]?|fusion(?:es|e|ar)|samenvoegen|scalaj|scalać|merguj|слива(?:й|йте|ть)|[св]?мерж(?:ь|ить|ити|и)?|birleştirme|マージ|병합|合并",
    "commit": r"committed|commit(?:te)?n?|commits|committe[rz]?|commite[rz]?|committare|committen|commituj|commitować|commitów|(?:за)?коммит(?:ь|ить|ьте|ов|ы)?|(?:за)?ком[іи]т(?:ь|ити|ів)?|commitleme|コミット|커밋|提交",
    "restart": r"neustarts?|neu ?starten|starte\b.*\bneu|neugestartet|redémarr(?:er|ez|ages?|e)|relance[rz]?|reinici(?:es|em|en|e|ar|os)|reiníci(?:os|o)|riavvi(?:are|i|o)|herstart(?:en|s)?|start\b.*\bopnieuw op|opnieuw (?:op)?start\w*|(?:z?re)startuj|restartować|restart(?:ów|y|u)|перезапускай(?:те)?|перезапускать|перезапускати|перезапуск(?:ов|и|а)?|рестарт(?:ов|и)?|перезавантажуй|перезапуск(?:ів|и|у)?|yeniden başlat(?:ma)?|再起動|재시작|重启",
    "delete": r"deleted|lösch(?:e|en|t)?|gelöscht|entferne?n?|supprime[rz]?|efface[rz]?|borr(?:es|e|ar|a)|elimin(?:es|en|em|e|ar)|apag(?:ues|uem|ue|ar|a)|cancell(?:are|a)|eliminare|rimuovere|verwijder(?:en|d)?|gooi\b.*\bweg|удалять|видаляти|стирать|стирати|silmek|wis(?:sen)?|usuwaj|usuwać|kasuj|kasować|удаляй(?:те)?|стирай(?:те)?|видаляй(?:те)?|стирай(?:те)?|sil(?:me|inmesin)|削除|消さ?|삭제|지우|删除?|刪除?",
    "deploy": r"deploye?n?|deploye[rz]?|deployments?|deploys?|ausrollen|rolle\b.*\baus|déploie[rz]?|déployer|déploiements?|desplieg(?:ues|ue)|desplegar|despliegues?|implant(?:es|e|ar)|deployare|rilasci(?:are|o)?|uitrollen|wdrażaj|wdrażać|wdrożeń|deployuj|deploya|deployów|деплоить|деплоїти|dağıtmak|деплой(?:те)?|деплоев|выкатывай|деплої(?:в|ти)?|викочуй|dağıtım|dağıtma|deploylama|デプロイ|배포|部署|上线|发布",
    "migrate": r"migrationen|migrations?|migraciones|migrações|migrazioni|migraties|migracj[iae]|миграци[йию]|міграці[йїю]|migration|migrasyon|マイグレーション|마이그레이션|迁移",
    "change": r"änder[en]?|veränder[en]?|ände?rn|fass\b.*\ban|anfassen|anpassen|pass\b.*\ban|modifie[rz]?|change[rz]?|touche[rz]?|cambi(?:es|e|ar)|modifi(?:ques|que|car)|anrühren|rühr\b.*\ban|antasten|geändert|verändert|angefasst|bearbeitet|to(?:ques|que|car)|alter(?:es|e|ar)|mexas?|mexer|modificare|cambiare|toccare|verander(?:en)?|wijzigen?|raak\b.*\baan|kom\b.*\baan|aankomen|aanraken|zmieniaj|zmieniać|ruszaj|ruszać|dotykaj|меняй(?:те)?|изменяй(?:те)?|трогай(?:те)?|правь(?:те)?|змінюй(?:те)?|чіпай(?:те)?|менять|трогать|змінювати|чіпати|değiştirmek|değiştirme|değiştirebilir\w*|dokunma|変更|変え|触ら|いじら|변경|수정|건드리|바꾸|修改|改动|改|动|碰",
    "use": r"verwende[n]?|benutz(?:e|en)?|nutz(?:e|en)|utilise[rz]?|us(?:es|e|ar)|usare|gebruik(?:en)?|używaj|używać|использ(?:уй|уйте|овать)|використовуй(?:те)?|kullanma|使わ|使用|사용|用",
    "run": r"führe?\b.*\baus|ausführen|starte|lance[rz]?|exécute[rz]?|ejecut(?:es|e|ar)|execut(?:es|e|ar)|rod(?:es|e|ar)|esegui(?:re|rl[oa])|lanciare|draai(?:en)?|voer\b.*\buit|uitvoeren|uruchamiaj|uruchamiać|odpalaj|запускай(?:те)?|выполняй(?:те)?|виконуй(?:те)?|запускати|запускать|çalıştırmak|çalıştırma|実行|실행|执行|运行",
}  # fmt: skip
"""Orders and infinitives of each deed, whole words (Chinese, Japanese and Korean: stems); statements of what happens
("restartuje", "instala") are none."""

_DO = (
    r"mache?n?|tue?n?|fa(?:is|ites|ire)|hag(?:as|a)|hacer|faç(?:as|a)|fazer|fare|doe[n]?|maak|rób|róbcie|robić|делай(?:те)?|роби(?:ти|ть)?"
    r"|hinzu\w*|ajoute[rz]?|añad(?:as|a|ir)|agreg(?:ues|ue|ar)|adicion(?:es|e|ar)|acrescent(?:es|e|ar)|aggiung(?:ere|i)|voeg|toe|toevoegen|dodawaj|dodawać|добавляй(?:те)?|додавай(?:те)?|ekle(?:n)?me(?:yin|sin)?|надо|нужно|стоит|треба|потрібно|варто|sollen|soll|kann|yap|laufen|lassen"
    r"|yapma(?:yın|yin)?|etme(?:yin|yiniz)?|atma(?:yın)?|し|하"
)
"""Verbs of doing, which take their deed from a noun."""

_MEANS: dict[str, str] = {
    "force": r"force|forcée?s?|forciert\w*|erzwungen\w*|forzad[oa]s?|forçad[oa]s?|forzat[oaie]|geforceerde?|wymuszon\w+|siłow\w+|форс\w*|принудительн\w+|примусов\w+|силов\w+|zorla\w*|強制|强制?(?=推|push)|강제|포스",
    "container": r"containers?|containern|conteneurs?|contenedor(?:es)?|contentor(?:es)?|contêiner(?:es)?|kontener\w*|контейнер\w*|konteyner\w*|容器|コンテナ|컨테이너",
    "dependency": r"abhängigkeit\w*|paket\w*|paquets?|paquetes?|pakiet\w*|dépendances?|dependencias?|dependências?|pacotes?|dipendenz[ea]|pacchett[io]|afhankelijkhe\w+|pakket\w*|biblioth[eè]\w+|librer[ií]as?|librerie|libreria|zależnoś\w+|bibliotek\w*|зависимост\w+|залежн\w+|пакет\w*|библиотек\w*|бібліотек\w*|bağımlılı\w+|kütüphane\w*|packages?|dependenc\w+|librar\w+|依存\w*|パッケージ|ライブラリ|의존\w*|패키지|라이브러리|依赖|包|库",
    "production": r"prod(?:uction|uktion\w*|ukcj\w+|uctie\w*|ucción|uktiv\w*|ução|uzione)?(?:['’]?[dt][ae])?|прод(?:е|і|а|акшен\w*|акшн\w*)?|üretim\w*|canlıda|本番(?:環境)?|プロダクション|프로덕션|운영(?:\s?환경)?|生产(?:环境)?|线上|正式环境",
    "database": r"datenbank\w*|bases? de (?:données|datos|dados)|banco de dados|database|baz[ayęyi]+ danych|баз\w* да\w+|veritaban\w+|データベース|데이터베이스|数据库",
    "branch": r"zweig\w*|branche?s?|rama|ramo|gałę\w+|ветк\w+|гілк\w+|ブランチ|브랜치|分支",
    "test": r"(?:unit|bestands)?tests?|testcases?|pruebas?|testes|testy|testów|testach|testler\w*|тест\w*|テスト|테스트|测试(?:用例)?|用例",
    "expected": r"expect(?:ed|ation)s?|erwartungs?\w*|erwartete\w*|attendue?s?|esperad[oa]s?|attes[ei]|verwachte|verwachting\w*|oczekiwan\w+|ожидаем\w+|ожидани\w+|очікуван\w+|beklenen\w*|期待値|期待结果|期望值?|預期|预期|기대\s?값|기댓값|예상\s?값",
}  # fmt: skip
"""English words by which a command is known, and what people say for them."""

_SAYS_NOTHING = (
    # the denials' own company, articles, particles
    r"bitte|alcun\w?|ortam\w*|environment|umgebung|ambiente|entorno|środowisk\w*|окружени\w*|середовищ\w*|omgeving|noch|heute|vorerst|server|momento|l['’]instant|moment|ora|na|razie|voorlopig|su|sur|met|şimdilik|agora|enquanto|работе|aqui|hier|here|there|erst|erst|mal|einfach|etwas|irgend\w*|alles?|neu\w*|zusätzliche[nrs]?|weitere[nrs]?|die|der|das|den|dem|ein\w*|mehr|auch|du|ja|solange|im|in|an|auf|aus|am"
    r"|the|stays?|remains?|kept?|keep|as|are|is|they|values?|results?|wie|sie|sind|ist|bleib\w+|werte?n?|restent|reste|tels?|telles?|quels?|quelles?|valeurs?|como|est[aá]n?|est[aã]o?|quedan?|fican?|ficam|valor\w*|valori|restano|rimangono|sono|come|blij\w+|zoals|zijn|waarden?|zostaj\w+|jak|są|wartości|значени\w+|значення|остаются|как|есть"
    r"|on|pas|plus|aucun\w*|aujourd['’]hui|encore|nouve\w+|autres?|pour|le|la|les|l['’]|un|une|des|de|du|d['’]|merci|plaît|tout|surtout|il|faut|à|au|aux|en|sur|y"
    r"|ning\w+|nada|hoy|todavía|aún|nuev[oa]s?|el|los|las|unos?|favor|por|se|más|ya|al|y"
    r"|nenhum\w*|hoje|ainda|nov[oa]s?|os?|as?|em|no|na|nos|nas|do|da|ao|mais|para|e|por"
    r"|nessun\w*|niente|nulla|oggi|ancora|nuov[eoia]|altr[eoi]|il|lo|gli|i|per|favore|si|più"
    r"|geen|niets|vandaag|nog|nieuwe?|extra|andere?|enkele?|het|een|er|wordt|alsjeblieft|alstublieft|graag|op|van|naar"
    r"|żadn\w+|niczego|nic|dzisiaj|dziś|jeszcze|now\w+|inn\w+|proszę|się|na|do|w|tego|z"
    r"|никак\w+|ничего|ни|один|одного|сегодня|пока|нов\w+|друг\w+|пожалуйста|пожалуй|на|в|туда|бы"
    r"|жодн\w+|нічого|ні|сьогодні|поки|поки що|інш\w+|будь|ласка|у|в|на|до"
    r"|von|vom|bei|beim|zum|zur|für|zu|über|dans|chez|avec|par|con|com|del|dos|das|desde|sobre|della|dei|dal|dalla|bij|voor|aan|dla|od|przy|ze|от|с|для|из|об|по|к|від|з|із|про|için|ile"
    r"|hiçbir|hiç|bir|şeyi?|bugün|henüz|yeni|başka|lütfen|olan|bunu|şimdilik|da|de|y[ae]"
    r"|aber|mais|pero|mas|ma|maar|ale|но|але|ama|ve|ni|und|et|та|и|i|but|es|wird|werden|einfach|faut|services?|dienste?|dienst\w*|servicios?|serviços?|servizi?o?|usług\w*|сервис\w*|сервіс\w*|служб\w*|servis\w*|dosya\w*|dosyay\w+"
    r"|datei\w*|fichiers?|archivos?|ficheiros?|arquivos?|files?|bestand\w*|plik\w*|файл\w*|remoto?|distant|remote|locale?|repositor\w*|репозитор\w+|зовнішн\w+|anything|nothing|any|today|please|new|gets?"
)
"""Words beside a deed that narrow nothing."""

_MEAN = lazy(
    "|".join(f"(?P<{word}>{pattern})" for word, pattern in _MEANS.items()) + f"|(?P<nothing>{_SAYS_NOTHING})",
    re.IGNORECASE,
)
_UNSPACED = lazy(r"[\u3040-\u30ff\u3400-\u9fff]")
_KOREAN = lazy(r"[\uac00-\ud7a3]")
_PLAIN_DEED = lazy(
    r"(?<!\w)(?:" + "|".join(f"(?P<{deed}>{pattern})" for deed, pattern in _DEEDS.items()) + r")(?!\w)",
    re.IGNORECASE,
)
_TURKISH_DEED = lazy(
    r"(?<!\w)(?:(?P<install>kur(?:ul)?|yükle(?:n)?)|(?P<push>pushla(?:n)?|gönder(?:il)?)|(?P<commit>commitle(?:n)?)|(?P<restart>yeniden başlat(?:ıl)?)|(?P<reload>yeniden yükle(?:n)?)|(?P<delete>sil(?:in)?)"
    r"|(?P<deploy>dağıt(?:ıl)?|deployla(?:n)?)|(?P<change>değiştir(?:il)?|dokun(?:ul)?)|(?P<use>kullan(?:ıl)?)|(?P<run>çalıştır(?:ıl)?)|(?P<recreate>yeniden oluştur(?:ul)?))m[ae](?:y[ıi]n(?:[ıi]z)?|s[ıi]n)?(?!\w)",
    re.IGNORECASE,
)
_STEM_DEED = lazy("|".join(f"(?P<{deed}>{pattern})" for deed, pattern in _DEEDS.items()), re.IGNORECASE)

_LATIN = (
    r"nicht|nichts(?!\s+zu\b)|kein\w{0,2}|niemals|rien(?!\s+à\b)|aucune?|pas\ (?:de|d['’])|jamais|nada\ de|nada(?!\s+(?:que|por|a|para)\s+\w+[aei]r\b)|ning[uú]n\w?|nunca|não|nenhum\w?|non(?=\ )|niente(?!\s+da\b)|nulla(?!\s+da\b)|nessun\w{0,2}"
    r"|niet|geen|niets(?!\s+(?:om|te)\b)|nooit|nie(?=\ )|niczego|nic|żadn\w{1,4}|nigdy|не|ничего|никак\w{1,3}|нельзя|никогда|нічого|жодн\w{1,3}|ніколи"
    r"|ohne|sans|sin(?=\ )|sem(?=\ )|senza|zonder|bez(?=\ )|без"
)
_SPANISH = r"no(?=\s+(?:(?:se|lo|la|los|las|me)\s+)?(?:hag|instal[ae]|sub|borr|elimin|despl|ejecut|to[cq]u?[ae]|cambi|modif|us[ae]s?\b|reinic|recre|recarg|empuj))"
_BEHIND = (
    r"ないで(?:ください|下さい|ね)?|ないこと(?=[。．.、,！!\s)）(（「]|$)|するな|[はをも]?禁止(?:です)?|なしで|지\s?(?:마|말)(?:세요|아\s?주세요|고|라|아)?|[은는을를]?\s?금지(?:입니다|예요)?|없이|건드리지"
    r"|不要|别|別|不得|不许|不准|勿|禁止|不用(?=\s?-)|(?<!\w)(?:yok|yasak|olmadan)(?!\w)"
)
_FOREIGN = lazy(
    rf"(?<!\w)(?:{_LATIN}|{_SPANISH})(?!\w)|(?<!\w)(?:n|pas\ d)['’](?=\w)|(?<!\w)ne\s|{_BEHIND}",
    re.IGNORECASE,
)
_DENIES = lazy(
    rf"(?<!\w)(?:{_LATIN}|{_SPANISH}|(?P<english>nothing(?!\s+to\s+(?:commit|push|do|install|deploy|restart|delete|change|migrate|update|merge)\b)|no(?=\ (?:new|more|commits?|deploy\w*|restarts?|packages?|migrations?|(?:\w+\ )?appl(?:y|ies)\b))))(?!\w)"
    rf"|(?<!\w)(?:(?:n|pas\ d)['’](?=\w)|ne(?=\s))|{_BEHIND}",
    re.IGNORECASE,
)
"""Words that deny, in front of what they deny or (Turkish, Japanese, Korean) behind it."""
_TURKISH_DO = lazy(r"(?<!\w)(?:yapma|etme|atma|ekle(?:n)?me)(?:y[ıi]n(?:[ıi]z)?)?\W*$", re.IGNORECASE)
_DOES = lazy(rf"(?:{_DO})", re.IGNORECASE)
_PLAN_ONLY = lazy(
    r"(?:^|[,;:.—–(]\s*|\b(?:and|but|please|pls|bitte)\s+)(?:(?:(?:terraform|tofu|pulumi|just\ a|only\ a|the)\ )?plan\ only\b|(?:just|only)\ (?:a\ |the\ |do\ the\ |run\ the\ |do\ a\ )?plan\b(?!\w|\ (?:for|ahead|how))|(?:bitte\ )?(?:erst\ ?mal\ )?nur\ (?:den\ |ein(?:en)?\ )?plan(?:en)?\b"
    r"|(?:le\ )?plan\ (?:seulement|uniquement)|(?:seulement|uniquement|juste)\ (?:le\ |un\ )?plan\b|s[oó]lo\ (?:el\ |un\ )?plan\b|(?:só|apenas|somente)\ o?\ ?plan\b|soltanto\ (?:il\ )?plan\b|alleen\ (?:het\ |een\ )?plan\b|tylko\ plan\b|только\ план\b|(?:тільки|лише)\ план\b|sadece\ plan\b|只(?:做|跑|看)\s?plan|plan\s?(?:だけ|のみ)|plan\s?만)",
    re.IGNORECASE | re.VERBOSE,
)
"""Words by which what is planned is not to be applied."""
_FLAG = lazy(
    r"(?<!\w)(?:ohne|sans|sin|sem|senza|zonder|bez|без)\s+(?P<flag>--?[A-Za-z][\w-]*)|(?P<flag2>--[A-Za-z][\w-]*)\s*(?:なしで|없이|olmadan)|不用\s?(?P<flag3>--[A-Za-z][\w-]*)"
    r"|(?P<flag4>--[A-Za-z][\w-]*)\S{0,2}\s*(?:使わないで|使うな|사용하지\s?(?:마|말)|쓰지\s?(?:마|말)|kullanma)",
    re.IGNORECASE,
)
_CLAUSE = lazy(
    r"[,;:。、]\s*|(?<![Nn]ie)\s+(?:but|aber|sondern|mais|pero|sino|mas|ma|maar|ale|tylko|но|але|ama|fakat)\s+|(?<=[지하]만)\s|(?<=하되)\s|(?<=하고)\s|(?<=는데)\s|(?<=한\s[뒤후])\s|(?<=다음에)\s|(?<=いいですが)|けど|(?<=して)(?![いくほもはおみしか下欲])|(?<!不)但是?|不过|可是|然后|(?<=[^\s以之])后(?!台|端|续|面)|\s+[-–—]\s+",
    re.IGNORECASE,
)
_WHILE = lazy(
    r"\s(?:while|during|solange|während|pendant|tant\ que|mientras|durante|enquanto|mentre|zolang|tijdens|terwijl|dopóki|podczas|пока\ (?!что)|во\ время|поки\ (?!що)|під\ час|avant|jusqu\S*|antes|bevor|before|until|bis|fino|prima\ (?:che|di)|hasta|até|finché|totdat|voordat|zanim|dopóki|доки|поки|пока|до\ мо)\s?.*",
    re.IGNORECASE | re.VERBOSE,
)
_MEANWHILE = lazy(
    r"^.*(?:sürerken|sırasında|boyunca|kadar|(?<!ol)m[ae]dan(?!\w)|중에는|때까지|전에는?|中は|まで|前に?は?|之前|以前)[、,，]?\s*",
    re.IGNORECASE,
)
_TELLS = lazy(
    r"(?<![\w'’])(?:er(?!\s+word)|sie|ich|wir|man|il(?=\s+(?:ne\s+(?!faut)|n['’]))|elle|ça|cela|je|on(?!\s+n[e'’])|nous|yo|ella|nosotros|eu|ele|ela|io|lui|noi|hij|zij|ik|we|wij|ona|ono|ja|my|он|она|оно|я|мы|він|вона|воно|ми|ben|biz|which|that|it|they|he|she|i(?=['’]|\s+(?:do|don['’]?t|did\w*|am|can\w*|could\w*|was\w*|will|won['’]?t|would\w*|never|usually|have\w*|had|also|just|only|think|guess|always|already|normally|rarely)\b)|qui|który\w*|котор\w+|який|яка|why|warum|pourquoi|dlaczego|почему|чому|neden)(?!\w)",
    re.IGNORECASE,
)
"""Words of someone else's doing, and of asking."""
_STATES = lazy(
    r"(?<!\w)(?:problem\w*|fehler\w*|gefunden|ausstehend\w*|nötig|gibt|waren?|sind|erreurs?|nécessaire|trouvé\w*|pendientes?|hubo|hay|pendentes?|houve|há|errori?|ci\ sono|c['’]è|zijn|gevonden|nodig|znaleziono|jest|są|nie\s+(?:ma|widzę|znalazł\w*)|не\s+(?:вижу|видно|бачу|нашёл|нашел)|było|нашлось|было|нет|знайдено|було|немає|are|were|was|is|found|needed|there)(?!\w)",
    re.IGNORECASE,
)
"""Words of a description: "keine Migrationen gefunden"."""


_SUBJECT = lazy(
    r"^\W*(?:(?:le|la|les|ce|cette|mon|notre)\s+|l['’])[\w-]+\s+(?:ne\s|n['’])|^\W*(?:el|la|los|las|o|a|os|as|il|lo|gli|le)\s+[\w-]+\s+(?:no|não|non)\s|^\W*(?:de|het)\s+[\w-]+\s+\w+t\s+(?:niet|geen)\b"
    r"|^\W*(?!(?:on|personne|surtout|mais|et|donc|alors|puis|ensuite|sinon|ok|bon|attention|merci|jamais|ici|y|en|toi|vous|\w+ment)\b)[a-z][\w.@-]+\s+(?:ne\s|n['’])(?!doi|fau|peu)"
    r"|^\W*(?!(?:maar|en|dan|ook|dus|graag|toch|nu|hier|daar)\b)[a-z][\w.@-]+\s+(?:start|herstart)\s+(?:niet|geen)\b"
    r"|^\W*der\s+\w+\s|\bsię\s+nie\b|\bnie\s+\w+(?:uje|ują|ał[aoy]?|ił[aoy]?)\b",
    re.IGNORECASE,
)
"""A subject in front of a denied verb: what it does not do is told, not forbidden."""


def tells(clause: str) -> bool:
    """Whether a clause tells of somebody or something, and orders nothing."""
    piece = _MEANWHILE.sub("", _WHILE.sub("", _CLAUSE.split(clause.strip())[0]))
    return any(pattern.search(piece) is not None for pattern in (_TELLS, _SUBJECT, _STATES))


def meaning(word: str) -> str | None:
    """The English word by which a command is known; empty where a word tells nothing; ``None`` for any other."""
    found = _MEAN.fullmatch(word)
    if found is None:
        return None
    return "" if found.lastgroup == "nothing" else str(found.lastgroup)


def unspaced(text: str) -> bool:
    """Whether a text is written in a script without spaces, or in Korean, whose endings join the word."""
    return _UNSPACED.search(text) is not None or _KOREAN.search(text) is not None


@lru_cache(maxsize=4096)
def deeds(clause: str) -> frozenset[str]:
    """The deeds that a clause orders or denies in some language's own form."""
    pattern = _STEM_DEED if unspaced(clause) else _PLAIN_DEED
    found: set[str] = set()
    for match in pattern.finditer(clause):
        found.add(str(match.lastgroup))
        if " " in match.group():
            # "voer geen git push uit": what is run stands between the parts of the verb.
            inner = pattern.finditer(clause, match.start() + match.group().index(" "), match.end())
            found |= {str(one.lastgroup) for one in inner}
    return frozenset(found | {str(match.lastgroup) for match in _TURKISH_DEED.finditer(clause)})


def foreign(clause: str) -> bool:
    """Whether a clause denies in another language than English, or lets something be."""
    if _FOREIGN.search(clause) is not None or _turkish(clause):
        return True
    return let_be.may_keep(clause) and let_be.kept(clause)


def _turkish(clause: str) -> bool:
    return _TURKISH_DEED.search(clause) is not None or _TURKISH_DO.search(clause) is not None


def objects(core: str) -> frozenset[str]:
    """What a ban in another language is about: the words of its first part that narrow it, as English words where a
    command is known by them. Empty where nothing narrows it."""
    first = next((piece for piece in _CLAUSE.split(core[:_LONGEST].strip(" .!。！")) if piece.strip()), "")
    first = _MEANWHILE.sub("", _WHILE.sub("", first))
    if unspaced(first):
        row = {str(found.lastgroup) for found in _MEAN.finditer(first) if found.lastgroup != "nothing"}
        names = (found.group().casefold() for found in _NAME.finditer(first))
        return frozenset(row | {name for name in names if not deeds(name) and meaning(name) is None})
    first = _TURKISH_DEED.sub(" ", _PHRASES.sub(" ", first))
    out: set[str] = set()
    for found in _WORD.finditer(_DENIES.sub(" ", first)):
        word = _named_alone(qualifier(_SUFFIX.split(found.group().casefold())[0]))
        known = meaning(word)
        if known is not None:
            out |= {known} - {""}
        elif len(word) > 1 and not deeds(word) and _DOES.fullmatch(word) is None and not _turkish(word):
            out.add(word)
    return frozenset(out)


_SUFFIX = lazy(r"['’](?:(?!\w{3})|(?=(?:[dt][ae]ki\w{0,4}|[dt][ae]n|n[ıiuü]n|l[ae]r\w{0,6})\Z))")
"""Before what a language writes behind a name: ``web1'deki``, ``nginx'i``; not within ``aujourd'hui``."""


def _named_alone(word: str) -> str:
    """A name without the sort of thing that is written as one word with it: ``api-Dienst``, ``web1-server``."""
    head, _, tail = word.rpartition("-")
    return head if head and meaning(tail) == "" else word


_ENGLISH_DEED = lazy(
    r"(?:push|merg|delet|remov|commit|deploy|restart|reload|install|migrat|releas|publish|updat|upgrad|reset)",
    re.IGNORECASE,
)
_ONLY_BEGINS = frozenset({"re", "un", "non", "pre", "post", "co", "neu"})


def qualifier(word: str) -> str:
    """What narrows a deed that is written as one word with it: "force" of "force-push"; any other word as it is."""
    head, _, tail = word.rpartition("-")
    narrows = (
        head
        and head.casefold() not in _ONLY_BEGINS
        and (deeds(tail) or _ENGLISH_DEED.match(tail) is not None)
        and not deeds(head)
    )
    return head if narrows else word


_NAME = lazy(r"[A-Za-z][\w.-]{2,}", re.ASCII)
_WORD = lazy(r"[^\W\d_](?:[\w'’.-]*\w)?")
_PHRASES = lazy(
    r"(?<!\w)(?:neu ?starten|starte?\b|neu\b|yeniden başlat\w*|por favor|per favore|будь ласка|поки що|s['’]il te plaît|fass\b|führe\b|aus\b|an\b|raak\b|aan\b|gooi\b|weg\b|pas touche|blijf\b|af\b|voer\b|uit\b|neu ?erstell\w*|erstell\w*|opnieuw\b|maak\b|twórz\b|od nowa|finger weg|hände weg|leave\b|alone\b)(?!\w)",
    re.IGNORECASE,
)


def of_production(sentence: str, at: int) -> bool:
    """Whether the clause in which ``at`` lies names production: what it forbids, it forbids there."""
    start = clause_start(sentence, at)
    return "production" in objects(sentence[start : clause_end(sentence, at)])


def clause_start(sentence: str, at: int) -> int:
    """Where the clause begins in which ``at`` lies."""
    return max((mark.end() for mark in _CLAUSE.finditer(sentence, 0, at)), default=0)


def clauses(sentence: str) -> list[str]:
    """The clauses of a sentence."""
    return [piece for piece in _CLAUSE.split(sentence[:_LONGEST]) if piece and piece.strip()]


def clause_end(sentence: str, at: int) -> int:
    """Where the clause ends in which ``at`` lies."""
    found = _CLAUSE.search(sentence, at)
    return len(sentence) if found is None else found.start()


def bans(sentence: str) -> Iterator[Ban]:
    """What the clauses of a sentence forbid; descriptions and questions forbid nothing."""
    sentence = sentence[:_LONGEST]
    if is_question(sentence):
        return
    flag = _FLAG.search(sentence)
    if flag is not None:
        named = next(group for group in flag.groups() if group)
        yield Ban(
            flag.group(), f"--{named.lstrip('-')}" if named.startswith("--") else named, frozenset({"use"})
        )
        return
    for piece in _CLAUSE.split(sentence):
        found = ban(piece.strip()) if piece and piece.strip() else None
        if found is not None:
            yield found


def kept(sentence: str) -> Iterator[Ban]:
    """What a sentence wants left as it is, clause by clause; of a list of files all are one clause's."""
    sentence = sentence[:_LONGEST]
    if not let_be.kept(sentence):
        return
    listed, any_kept = "", False
    for piece in _CLAUSE.split(sentence):
        clause = f"{listed}{piece or ''}"
        if _only_names(clause):
            listed = f"{clause}, "
            continue
        listed = ""
        if let_be.kept(clause):
            any_kept = True
            yield Ban(clause.strip(), clause.strip(), TOUCHES)
    if not any_kept:
        # "Die Tests bleiben, wie sie sind."
        yield Ban(sentence, sentence, TOUCHES)


def passive(sentence: str) -> Iterator[Ban]:
    """What is not to be done to something, told of it ("F must not be changed"); deeds are left to the caller."""
    for clause in clauses(sentence) if let_be.passive(sentence) is not None else ():
        denied = let_be.passive(clause)
        if denied is not None:
            yield Ban(clause.strip(), f"{denied[0]} {denied[1].strip()}", frozenset())


_ELLIPTIC = lazy(
    r"(?P<asked>[^,;.]{3,120}?)[,;]?\s+(?:but|aber|mais|pero|mas|ma|maar|ale|но|але)\s+(?:(?P<denied>(?:please\s+|bitte\s+)?(?:not|never|nicht|auf\s+keinen\s+fall|keinesfalls|pas|surtout\s+pas|no|não|non|niet|nie|не)\s+(?P<what>(?:to|on|in|into|auf|nach|zu|sur|dans|en|a|al|para|em|no|su|in|naar|op|na|do|w|в|на|у|для)\s+[^,;.]{2,60}|(?:the\s+|den\s+|die\s+|das\s+|le\s+|la\s+|el\s+|il\s+|o\s+|a\s+|de\s+|het\s+)?[\w./-]{2,60}(?=\W*$))|(?:den\s+|die\s+|das\s+)?(?P<before>[\w./-]{2,60})\s+nicht(?=\W*$)))",
    re.IGNORECASE,
)


def elliptic(sentence: str) -> tuple[str, Ban] | None:
    """What is asked for, and for what place it is denied without saying it again: "push, but not to main"."""
    found = _ELLIPTIC.match(sentence[:_LONGEST])
    if found is None:
        return None
    what = (found["what"] or found["before"]).strip()
    return (
        None if deeds(what) else (found["asked"], Ban(found["denied"] or found["before"], what, frozenset()))
    )


def unwanted(sentence: str) -> Ban | None:
    """What the person says they do not want done, its deeds left to the caller."""
    said = let_be.unwanted(sentence[:_LONGEST])
    return None if said is None else Ban(sentence[:_LONGEST], said, deeds(said))


TOUCHES = frozenset({"change", "delete"})
"""Deeds of whoever touches what is there."""
_AND = frozenset({"and", "und", "et", "y", "e", "i", "en", "и", "та", "і", "ve", "files", "file"})


def _only_names(clause: str) -> bool:
    """Whether a clause is a part of a list of files."""
    words = clause.replace(",", " ").split()
    return bool(words) and all(
        word.casefold() in _AND or (word.isascii() and ("/" in word or "." in word[:-1])) for word in words
    )


def plan_only(sentence: str) -> Ban | None:
    """That what is planned is not to be applied: ``plan only``, ``nur planen``."""
    found = _PLAN_ONLY.search(sentence[:_LONGEST])
    if found is None or is_question(sentence):
        return None
    return Ban(found.group().strip(" ,;:."), "apply", frozenset({"apply"}))


_LOCAL_ONLY = lazy(
    r"\bkeep\s+(?:it|this|that|them|everything|the\s+commits?|your\s+commits?)\s+(?:\w+\s+)?(?:local\b|on\s+this\s+(?:machine|box|laptop|host))|\bcommit\w*\s+(?:\w+\s+){0,3}?local(?:ly)?\s+only\b|\bcommit\w*\s+(?:\w+\s+){0,3}?only\s+local(?:ly)?\b|\bonly\s+commit\s+(?:\w+\s+)?local(?:ly)?\b|\bnothing\s+(?:\w+\s+)?leaves\s+(?:this|the|my)\s+(?:machine|box|laptop|host|computer)\b"
    r"|\bnur\s+lokal\s+(?:ein)?(?:committen|commiten|checken)\b|\bcommitte?\w*\s+(?:\w+\s+){0,2}?nur\s+lokal\b|\bbleibt\s+(?:alles\s+)?lokal\b|\b(?:lass|behalt\w*)\s+(?:\w+\s+){0,2}?lokal\b|\bgarde\w*\s+(?:\w+\s+){0,2}?en\s+local\b|\bcommit\w*\s+(?:\w+\s+){0,3}?(?:uniquement|seulement)\s+en\s+local\b|\bcommits?\s+(?:\w+\s+){0,3}?s[oó]lo\s+en\s+local\b|\bd[ée]jalo\s+en\s+local\b"
    r"|\bcommit\w*\s+(?:\w+\s+){0,3}?alleen\s+lokaal\b|\bhoud\s+(?:\w+\s+){0,2}?lokaal\b|\bcommit\w*\s+(?:\w+\s+){0,3}?(?:solo|só|somente|apenas)\s+(?:in\s+locale|local\w*)\b|\bcommit\w*\s+(?:\w+\s+){0,3}?tylko\s+lokalnie\b|ком[мі]?[иі]т\w*\s+(?:\w+\s+){0,3}?(?:только|тільки|лише)\s+локально|(?:只|仅)在?本地提交|ローカルに?(?:だけ|のみ)(?:で|に)?コミット|로컬에만\s?커밋",
    re.IGNORECASE,
)


def local_only(sentence: str) -> Ban | None:
    """That commits are to stay on this machine: "commit locally only", "keep it local"."""
    found = _LOCAL_ONLY.search(sentence[:_LONGEST])
    if found is None or is_question(sentence):
        return None
    return Ban(found.group().strip(), "push", frozenset({"push"}))


def means(text: str) -> frozenset[str]:
    """The English words of :data:`_MEANS` that a text of any language names."""
    if unspaced(text):
        return frozenset(str(found.lastgroup) for found in _MEAN.finditer(text)) - {"nothing"}
    return frozenset(known for found in _WORD.finditer(text) if (known := meaning(found.group().casefold())))


def ban(clause: str) -> Ban | None:
    """What one clause forbids; ``None`` where it forbids nothing."""
    denied = _DENIES.search(clause)
    if denied is None and not _turkish(clause):
        return None
    if tells(clause) or _FORGETS.search(clause) is not None or _NONE_BUT.search(clause) is not None:
        return None
    core = _DENIES.sub(" ", clause)
    done = meant(core) | (deeds(clause) if _turkish(clause) else frozenset())
    return Ban(clause, core, done) if done else None


_NONE_BUT = lazy(r"\bn(?:e\s|['’])[^.,]{1,30}?\bqu(?:e\b|['’])", re.IGNORECASE)
"""What is restricted in French: "ne touche qu'à src/"."""
_FORGETS = lazy(r"忘|잊")
"""What is not to be forgotten is wanted."""


def meant(core: str) -> frozenset[str]:
    """The deeds of a ban by its verb, or by what it names alone ("no new packages", "nothing in production")."""
    done = deeds(core)
    if done:
        return done
    words = {meaning(found.group().casefold().split("'")[0]) for found in _WORD.finditer(core)}
    if unspaced(core):
        words |= {str(found.lastgroup) for found in _MEAN.finditer(core)}
    return frozenset({"change"} if "production" in words else {"install"} if "dependency" in words else ())


_TEST = r"(?:\btest\w*|\bprueb\w*|тест\w*|テスト|테스트|测试)"
_TEST_WORDS = ("test", "prueb", "тест", "テスト", "테스트", "测试")
_OF_TESTS = lazy(_TEST, re.IGNORECASE)
_FIRST_THEN = lazy(
    rf"{_TEST}[^.;\n]{{0,60}}?(?<!\w)(?:avant|antes\s+de|prima\s+d\w+|voordat|voor|bevor|vor|zanim|przed|перед|прежде\s+чем|перш\s+ніж)(?!\w)\s+(?P<then>.{{2,60}})"
    rf"|(?<!\w)(?:avant|antes\s+de|prima\s+d\w+|voordat|voor|bevor|vor|zanim|przed|перед|прежде\s+чем|перш\s+ніж)(?!\w)\s+(?P<then2>[^.;\n]{{2,60}})(?=[\s,]+{_TEST})"
    rf"|(?P<then3>[^.;\n]{{2,60}}?)(?:\bönce\b|の?前に|之前|前|전에)[^.;\n]{{0,30}}?{_TEST}",
    re.IGNORECASE,
)
_ORDERED = frozenset({"commit", "push", "deploy", "migrate", "delete", "restart"})


def of_tests(text: str) -> bool:
    """Whether words speak of tests, in any language."""
    return bool(text) and _OF_TESTS.search(text) is not None


def first_then(sentence: str) -> frozenset[str]:
    """The deeds before which the tests are to run, in other languages than English."""
    lowered = sentence[:_LONGEST].lower()
    if not any(word in lowered for word in _TEST_WORDS):
        return frozenset()
    found = _FIRST_THEN.search(sentence[:_LONGEST])
    if found is None:
        return frozenset()
    return (then_deeds(found["then"] or found["then2"] or found["then3"])) & _ORDERED


def then_deeds(text: str) -> frozenset[str]:
    """The deeds that words name in any form."""
    return deeds(text) | frozenset(deed for deed, pattern in _NOUNS.items() if pattern.search(text))


_NOUNS = {
    "commit": lazy(r"\bcommit|(?<!\w)ком{1,2}[иі]т|コミット|커밋|提交", re.IGNORECASE),
    "push": lazy(r"\bpush|(?<!\w)пуш|プッシュ|푸시|推送", re.IGNORECASE),
    "deploy": lazy(r"\bd[eé]plo[yi]|(?<!\w)депло|\bwdr[oa]ż|\bdespl[ie]|デプロイ|배포|部署|上线|\brelease", re.IGNORECASE),
    "migrate": lazy(r"\bmigr|(?<!\w)м[иі]грац|マイグレ|마이그레|迁移", re.IGNORECASE),
    "restart": lazy(
        r"\brestart|\breboot|\bneustart|\bredémarr|\breinici|\briavvi|\bherstart|(?<!\w)перезапус|yeniden başlat|再起動|재시작|重启", re.IGNORECASE
    ),
    "delete": lazy(r"\blösch|\bsupprim|\bborr|\bapag|\bcancell|\bverwijder|\busu[nw]|(?<!\w)(?:удал|видал)|\bsil|削除|삭제|删除", re.IGNORECASE),
}  # fmt: skip
"""Nouns and other forms of deeds, for what is to wait for something."""
