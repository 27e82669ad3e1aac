"""What a sentence that names no target speaks of: the kind of thing that was done, or a text that was written."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from sessionlens.cache import lazy
from sessionlens.graph.events import Called, Ran
from sessionlens.graph.mentions import has_word, mentioned, spoken
from sessionlens.shell.command import STARTS

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

_KINDS: dict[str, re.Pattern[str]] = {
    "migrate": lazy(
        r"\bmi[gç]?gra[tçcz]\w*|\bmigr\w+|\bschemas?\b|\bschéma\w*|\besquema\w*|миграц\w*|мигрир\w*|міграц\w*|schemat\w*|迁移|遷移|移行|マイグレーション|마이그레이션",
        re.IGNORECASE,
    ),
    "start": lazy(
        r"\b(?:re)?start(?:s|ed|ing)?\b|\bre-?boot\w*|\breload\w*|\bdeploy\w*|\bredeploy\w*|\broll(?:ed|ing|s)?[ -]?(?:out|back)\b|\brollout\w*|\breleas\w*|\bupgrad\w*"
        r"|\b(?:neu\s?)?gestartet\b|\bneustart\w*|\bausgerollt\b|\bredémarr\w*|\brelanc\w*|\bdéploi\w*|\breinici\w*|\bdespleg\w*|\bdesplieg\w*|\bimplanta\w*|\briavvi\w*|\bdistribui\w*"
        r"|\bherstart\w*|\buitgerold\w*|\buruchom\w*|\bwdroż\w*|перезапу\w*|запу[щс]\w*|разв[её]рн\w*|задепло\w*|деплой\w*|розгорн\w*|yeniden\s+başlat\w*|dağıt\w*"
        r"|重启|重新启动|部署|上线|发布|再起動|デプロイ|재시작|배포",
        re.IGNORECASE,
    ),
    "transfer": lazy(
        r"\b(?:copied|copy|upload\w*|transferr?\w*|sync\w*|pushed|backup\w*|import\w*|export\w*)\b|\bkopier\w*|\bsauvegard\w*|\bcopia\w*|скопир\w*|загруж\w*|выгруж\w*|复制|上传|同步|コピー|同期|복사|업로드",
        re.IGNORECASE,
    ),
}
"""Words for what was done, by the effect."""

_WRITTEN = lazy(
    r"\b(?:read-?me|change-?log|docs?|documentation|wiki|runbooks?|tickets?|typos?|css|stylesheets?|pages?|headings?|sections?|paragraphs?|footers?|wording|comments?|screenshots?|pull\s+request|merge\s+request)\b"
    r"|\b(?:seite|abschnitt|tippfehler|doku\w*|dokumentation|handbuch)\b|\b(?:faute\s+de\s+frappe|coquille|section|documentation)\b|\b(?:errata|página|sección|documentación|seção|documentação|pagina|sezione|documentazione)\b"
    r"|страниц\w*|опечатк\w*|раздел\w*|документац\w*|сторінк\w*|одрук\w*|\b(?:strona|literówk\w*|dokumentacj\w*|pagina|tikfout\w*|yazım\s+hatası|sayfa)\b|文档|错字|页面|ドキュメント|誤字|문서|오타",
    re.IGNORECASE,
)
"""Words for texts that people read: what is said of one is not said of what runs."""
_FILE = lazy(
    r"\b(?:files?|datei\w*|fichiers?|archivos?|ficheiros?|arquivos?|plik\w*|bestand\w*|dosya\w*)\b|\bfile\b|файл\w*|文件|ファイル|파일",
    re.IGNORECASE,
)
_EDITS = 60
"""Changes before a sentence among which the file that it speaks of is looked for."""
_DOCUMENT = lazy(r"\.(?:md|mdx|txt|rst|adoc|html?|tex|org)$|(?:^|/)(?:readme|changelog|notes)", re.IGNORECASE)


def of_kind(sentence: str, done: Ran | Called) -> bool:
    """Whether a sentence holds a word for what was done: *migrated* for a migration, *neu gestartet* for a restart."""
    if not isinstance(done, Ran):
        return False
    effect = "start" if done.command.effect in STARTS else done.command.effect
    pattern = _KINDS.get(effect)
    return pattern is not None and pattern.search(sentence) is not None


def of_a_text(
    graph: SessionGraph, sentence: str, done: Ran | Called, before: int, *, written: bool = False
) -> bool:
    """Whether a sentence speaks of a text or a file that was edited, not of what else was done.

    It names a file that an edit of the session wrote, by its path or by the word for a file, or it holds a word for
    texts that people read, and nothing for what was done. ``written`` asks that such a text was written before.
    """
    if not isinstance(done, Ran) or done.command.effect == "edit" or of_kind(sentence, done):
        return False
    names = graph.names_of(done.command.target)
    says_text = _WRITTEN.search(sentence) is not None and not mentioned(sentence, names)
    if says_text and not written:
        return True
    says_file = _FILE.search(sentence) is not None
    lowered = sentence.casefold()
    changes = graph.index("change")
    at = bisect_left(changes, before)
    for seq in reversed(changes[max(0, at - _EDITS) : at]):
        edit = graph.events[seq]
        if not isinstance(edit, Ran) or edit.command.effect != "edit" or edit.outcome.failed:
            continue
        path = edit.command.target.name.casefold()
        if says_text and _DOCUMENT.search(path) is not None:
            return True
        for name in (path, path.rsplit("/", 1)[-1]):
            # What else is said beside the path may be of the thing that was done.
            if "." in name and has_word(lowered, name) and not mentioned(lowered.replace(name, " "), names):
                return True
        stem = path.rsplit("/", 1)[-1].split(".", 1)[0]
        if says_file and mentioned(sentence, frozenset((*spoken(path), stem))):
            return True
    return False
