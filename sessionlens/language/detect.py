"""Which language a text or a sentence is in: script, then votes of function words, then of content words and endings."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping

from sessionlens.cache import lazy
from sessionlens.language import lexicon

_WORD = lazy(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SAMPLE = 6000
"""Code points looked at: the beginning of a message decides for the message, each sentence for itself."""

_KEPT = 64
"""Texts whose language is remembered: the gate and the reading ask for the same one after another."""

_LONG = 5
"""Letters from which a word's ending may speak for a language."""
_ENDING = 4
"""Letters of the longest ending."""

_KANA = lazy(r"[\u3040-\u30ff\uff66-\uff9f]")
_HAN = lazy(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_HANGUL = lazy(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]")
_CYRILLIC = lazy(r"[\u0400-\u04ff]")
_LATIN = lazy(r"[A-Za-z\u00c0-\u024f]")
_FURTHER = lazy(r"[\u0370-\u03ff\u0530-\u06ff\u0750-\u077f\u0900-\u0dff\u0e00-\u0eff\u10a0-\u10ff]")
"""Letters of the scripts below: one question for all of them, since most texts hold none."""
_FURTHER_SCRIPTS = {
    "greek": lazy(r"[\u0370-\u03ff]"),
    "hebrew": lazy(r"[\u0590-\u05ff]"),
    "arabic": lazy(r"[\u0600-\u06ff\u0750-\u077f]"),
    "devanagari": lazy(r"[\u0900-\u097f]"),
    "other": lazy(r"[\u0530-\u058f\u0980-\u0dff\u0e00-\u0eff\u10a0-\u10ff]"),
}
_VOTED = frozenset({"latin", "cyrillic", "arabic", "devanagari"})
"""Scripts of several languages, among which words decide; any other is that of one language with a lexicon, or of none."""
SIGNED_WORD = r"[\u0900-\u0963\u0970-\u097f]+"
"""A word of a script whose vowels are signs on a letter."""
_SIGNED_WORD = lazy(SIGNED_WORD)
_CODE = lazy(r"`[^`\n]{1,200}`")
_TECHNICAL = lazy(r"[/\\_=<>{}@]|\w\.\w")


@functools.lru_cache(maxsize=8)
def _plain(text: str) -> str:
    """The text without code, paths, addresses and names of files, which are in no language.

    The last few are kept, since a text is asked about by its letters and by its words.
    """
    if "`" in text:
        text = _CODE.sub(" ", text)
    if _TECHNICAL.search(text) is None:
        return text
    return " ".join(word for word in text.split() if not _TECHNICAL.search(word))


def script(text: str) -> str | None:
    """The script that most of the text's letters belong to; letters of
    other scripts weigh more than Latin ones, which names and commands are written in everywhere."""
    if text.isascii():
        return "latin" if _LATIN.search(text) else None
    latin = len(_LATIN.findall(text))
    kana, han, hangul = len(_KANA.findall(text)), len(_HAN.findall(text)), len(_HANGUL.findall(text))
    counts = {
        "latin": latin,
        "cyrillic": 2 * len(_CYRILLIC.findall(text)),
        "hangul": 3 * hangul,
        # Japanese mixes both; Chinese has no kana. A few kana in a long Chinese text are a quoted name.
        "kana": 3 * (kana + han) if kana * 12 > han else 0,
        "han": 3 * han if kana * 12 <= han else 0,
    }
    if _FURTHER.search(text) is not None:
        counts |= {
            name: (1 if name == "other" else 2) * len(letter.findall(text))
            for name, letter in _FURTHER_SCRIPTS.items()
        }
    best = max(counts, key=lambda name: counts[name])
    if best == "latin":
        # Commands and names in Latin letters around a few words of another script: no Latin function word stands there.
        other = max(counts, key=lambda name: counts[name] if name not in {"latin", "other"} else 0)
        if counts[other] >= 4 and not _votes(text.lower(), "latin"):
            return other
    return best if counts[best] else None


_CLEAR = 2.0
"""Votes from which a sentence may be in another language than its text."""


@functools.cache
def _function_words(name: str) -> dict[str, tuple[str, ...]]:
    """The languages of each function word of a script."""
    out: dict[str, list[str]] = {}
    for head in lexicon.heads():
        if head.script == name:
            for word in head.words:
                out.setdefault(word, []).append(head.code)
    return {word: tuple(codes) for word, codes in out.items()}


@functools.cache
def _words_of(code: str) -> frozenset[str]:
    return frozenset(word for head in lexicon.heads() if head.code == code for word in head.words)


@functools.cache
def _letters(name: str) -> dict[str, tuple[str, ...]]:
    out: dict[str, list[str]] = {}
    for head in lexicon.heads():
        if head.script == name:
            for letter in head.letters:
                out.setdefault(letter, []).append(head.code)
    return {letter: tuple(codes) for letter, codes in out.items()}


def _words_in(low: str, name: str) -> list[str]:
    """The words of a text in lower case."""
    if name == "devanagari":
        return _SIGNED_WORD.findall(low)
    return _WORD.findall(low.replace("’", "'"))


@functools.lru_cache(maxsize=8)
def _votes(low: str, name: str) -> Mapping[str, float]:
    """Votes by language; a word or letter that several languages share is divided among them.

    The last few are kept, since a text and each of its sentences are asked about twice.
    """
    known, letters = _function_words(name), _letters(name)
    votes: dict[str, float] = {}
    for word, times in Counter(_words_in(low, name)).items():
        codes = known.get(word)
        if codes is None:
            if "'" not in word:
                continue
            before, _, after = word.partition("'")
            codes = known.get(before + "'") or known.get(after, ())
        for code in codes:
            votes[code] = votes.get(code, 0.0) + times / len(codes)
    for char in set(low) & letters.keys():
        weight = min(3, low.count(char)) / len(letters[char])
        for code in letters[char]:
            votes[code] = votes.get(code, 0.0) + weight
    return votes


@functools.cache
def _endings(name: str) -> dict[str, tuple[str, ...]]:
    """The endings of words (``*ung``) among the words of each language of a script."""
    return {word[1:]: codes for word, codes in _function_words(name).items() if word.startswith("*")}


def _best(votes: Mapping[str, float], margin: float) -> str | None:
    """The language that leads by ``margin``; one without a lexicon does not hold up one that is level with it."""
    if not votes:
        return None
    acting = lexicon.codes()
    most = max(votes.values())
    best = min(
        (code for code, vote in votes.items() if vote == most), key=lambda code: (code not in acting, code)
    )
    second = max(
        (
            vote
            for code, vote in votes.items()
            if code != best and (vote < most or code in acting or best not in acting)
        ),
        default=0.0,
    )
    return best if most - second >= margin else None


def _acting(code: str | None) -> str | None:
    return code if code in lexicon.codes() else None


_DECIDED = 2.0
"""A lead by which function words alone decide."""


def _all_votes(text: str) -> Mapping[str, float]:
    """Votes of function words, and of content words and endings where those do not decide."""
    low = _plain(text).lower()
    name = script(low) or script(text)
    if name not in _VOTED:
        return {}
    plain = _votes(low, name)
    if _best(plain, _DECIDED) is not None:
        return plain
    votes = dict(plain)
    known, endings = lexicon.vocabularies(name), _endings(name)
    for word in _words_in(low, name):
        codes = known.get(word, ())
        for code in codes:
            votes[code] = votes.get(code, 0.0) + 0.8 / len(codes)
        if len(codes) == 1 or len(word) < _LONG:
            continue
        ended = {code for size in range(2, _ENDING + 1) for code in endings.get(word[-size:], ())}
        for code in sorted(ended):
            votes[code] = votes.get(code, 0.0) + 0.5 / len(ended)
    return votes


def detect(text: str) -> str | None:
    """The language of a text, or ``None``: too little to say, or a language without a lexicon."""
    return _detect(text[:_SAMPLE])


@functools.lru_cache(maxsize=_KEPT)
def _detect(sample: str) -> str | None:
    name = script(_plain(sample)) or script(sample)
    if name is None:
        return None
    if name not in _VOTED:
        return _first_of(name)
    votes = _all_votes(sample)
    if not votes and name not in {"latin", "cyrillic"}:
        return _first_of(name)
    return _acting(_best(votes, 0.05))


def _first_of(name: str) -> str | None:
    """The language with a lexicon that is written in a script; ``None`` for no such language."""
    return next((head.code for head in lexicon.heads() if head.script == name and head.acts), None)


def candidates(text: str) -> tuple[str, ...]:
    """For a text too short to tell: the languages that tie, English first because most such words are English."""
    votes = _all_votes(text)
    if not votes:
        return ()
    most = max(votes.values())
    tied = [code for code in sorted(votes) if votes[code] >= most - 0.05 and code in lexicon.codes()]
    return tuple(sorted(tied, key=lambda code: code != "en"))


def throughout(text: str, code: str) -> bool:
    """Whether every sentence of a text in this language is, too: :func:`of_sentence` asked once for all of them.

    Words of other languages that are too few in the whole text are too few in each of its sentences.
    """
    if not text.isascii() or not any(
        head.code == code and head.script == "latin" for head in lexicon.heads()
    ):
        return False
    return all(
        vote < _CLEAR or other == code for other, vote in _votes(_plain(text.lower()), "latin").items()
    )


def of_sentence(sentence: str, text_language: str | None) -> str | None:
    """The language of one sentence: another than its text's only when that is clear."""
    name = script(sentence)
    if name is None:
        return text_language
    head = next((head for head in lexicon.heads() if head.code == text_language), None)
    if name not in _VOTED:
        if head is not None and head.script == "kana" and name == "han":
            return text_language
        return detect(sentence)
    if head is not None and head.script != name:
        return detect(sentence)
    low = sentence.lower()
    if text_language is not None and len(_words_of(text_language).intersection(low.split())) >= 3:
        return text_language
    votes = _votes(_plain(low), name)
    best = _best(votes, 0.0)
    if best is None or best == text_language:
        return text_language
    if votes[best] >= _CLEAR and votes[best] >= 2 * votes.get(text_language or "", 0.0):
        return _acting(best)
    return text_language
