"""What stands behind a cue: cuts the value out and judges whether it is a secret.

The scanner finds cues only (a label with a separator, the name of a command, the beginning of a block). Each
cutter here takes a text and the place of one cue and yields the secrets that belong to it; a finding of no length only
says how far it has read. Every look ahead or back is bounded, and a cue within what the same cutter has read is
passed over, so the work is linear in the length of the text.

How the judgement leans: where the syntax itself says "a secret stands here" (an option of a command, an
assignment to ``DB_PASSWORD``, user information of a URL, SQL ``IDENTIFIED BY``) everything but a placeholder is
taken. Where only a word says so (``password: …`` in prose or code) the value must look like one. Published
defaults such as ``changeme`` and ``password`` are placeholders: they protect nothing, and that one is in use is
something a reader should see.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from importlib.resources import files
from itertools import islice
from typing import Any, NamedTuple

from sessionlens.cache import lazy, toml

PSEUDONYM = lazy(r"REDACTED-[a-z0-9]+(?:-[a-z0-9]+)*-\d+")
"""The form of every name that stands for a secret: safe in shell words, JSON, XML, Markdown and URLs."""

REACH = 2000
"""How far behind a cue a value may end, in characters. Blocks have their own reach."""
BLOCK = 20_000
"""How long a private key may be, in characters."""


class Found(NamedTuple):
    """One secret in one text."""

    start: int
    """First character."""
    end: int
    """Behind its last character."""
    kind: str
    """What it is, such as ``password`` or ``github-pat``: small letters, digits, hyphens."""
    value: str
    """The secret itself."""


Cutter = Callable[[str, int, int, bool], Iterator[Found]]


class _Pattern(NamedTuple):
    find: re.Pattern[str]
    only: re.Pattern[str] | None
    after: str | None
    upto: str | None
    cut: str | None


class _Data(NamedTuple):
    placeholders: frozenset[str]
    starts: tuple[str, ...]
    types: frozenset[str]
    harmless: frozenset[str]
    commands: dict[str, tuple[_Pattern, ...]]


# A shell word. Backslash before a quote or a letter that JSON escapes never continues a word: such text is
# escaped once more than it looks and is read again with the escapes undone. A quoted part within a word holds
# nothing that separates fields of JSON: then the quote ends the string that the word stands in.
_WORD = (
    r"""(?:\$?'[^'\r\n]{0,512}'|"(?:[^"\\\r\n]|\\[^nrt\n]){0,512}"|"""
    r"""(?:[^\s'"\\|;&<>()`]|\\[^\s"'nrt])(?:[^\s'"\\|;&<>()`]|\\[^\s"'nrt]|'[^'\n{}\[\],:]{0,200}'|"[^"\\\n{}\[\],:]{0,200}"){0,512})"""
)


@cache
def data() -> _Data:
    """The word lists and the options of commands from ``rules.toml``."""
    raw: dict[str, Any] = toml(files("sessionlens.redact").joinpath("rules.toml"))
    commands: dict[str, tuple[_Pattern, ...]] = {}
    for entry in raw["command"]:
        patterns = tuple(
            _Pattern(
                lazy(p["find"].replace("{word}", f"(?P<word>{_WORD})").replace("{arg}", _WORD)),
                lazy(p["only"]) if "only" in p else None,
                p.get("after"),
                p.get("upto"),
                p.get("cut"),
            )
            for p in entry["patterns"]
        )
        for name in entry["names"]:
            commands[name] = patterns
    words = raw["words"]
    return _Data(
        frozenset(words["placeholders"]),
        tuple(words["placeholder_starts"]),
        frozenset(words["types"]),
        frozenset(words["harmless"]),
        commands,
    )


# --------------------------------------------------------------------------------------------------- judging

_VARIABLE = lazy(
    r"(?:\$\{?[A-Za-z_][\w.]*(?:\[[^\]]*\])?(?::?[-=?+][^}]*)?\}?|\$[0-9@*#?!]|\$\([^)]*\)?.*|%[A-Za-z_]\w*%|"
    r"`[^`]*`?|\{\{.*|\$\{\{.*|<%.*|<[^<>]*>?|\[[A-Za-z _-]*\]|\{[A-Za-z_][^{}]*\}|#\{.*|@[A-Za-z_]+@|__[A-Z_]+__|"
    r"%\([^)]*\)[sd]?|%[sdvq]|\?|:[a-z_]+|\$[1-9]|!\w+[ .]\S*|\$env:\w+|env:\w+|\{\d*\})",
    re.DOTALL,
)
_MASKS = lazy(r"[*•●·xX#.…_?-]+")
_MASK_RUN = lazy(r"\*{3,}|[xX]{5,}|•{3,}|●{3,}|\.{3}|…")
_WORDS_ONLY = lazy(r"[A-Za-z]+(?:[ _.-]+[A-Za-z]+)*")
_PATH = lazy(r"(?:~|\.{1,2}|/|[A-Za-z]:[\\/]|%[A-Za-z]+%[\\/])?(?:[\w.@+-]{0,40}[\\/]){1,20}[\w.@+-]{0,60}")
_ADDRESS = lazy(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_DOTTED = lazy(r"[!&*]?[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)+[!;]*")
_AMBIENT = lazy(
    r"process\.env|import\.meta\.env|os\.environ|os\.getenv|Deno\.env|ENV\[|env\[|System\.getenv|self\.|this\."
)
_WORD_LIKE = lazy(r"[A-Za-z]+(?:[_.-][A-Za-z]+)*\d{0,2}")
LOG_ID = lazy(
    r"(?:ses|msg|prt|per|toolu|toolu_vrtx|call|chatcmpl|resp|req|fc|rs|run|thread|asst|srvtoolu|gen)[_-][A-Za-z0-9_-]{6,}"
)
_HASH = lazy(
    r"(?:[0-9a-fA-F]{7,8}|[0-9a-fA-F]{32}|[0-9a-fA-F]{40}|[0-9a-fA-F]{56}|[0-9a-fA-F]{64}|[0-9a-fA-F]{96}|[0-9a-fA-F]{128}|"
    r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})"
)
_ALGORITHM = lazy(r"(?:sha\d*|md5|sha512-|sha384-|sha256-|blake\w*|h1|xxh\w*|crc\w*)[:=-]", re.IGNORECASE)


@lru_cache(maxsize=4096)
def placeholder(value: str) -> bool:
    """Whether a value stands for a secret instead of being one: a variable, a mask, a name, ``changeme``."""
    if not value or PSEUDONYM.search(value):
        return True
    bare = value.strip("\"'`()[]{}<> ,;:.\\")
    if (
        not bare
        or _VARIABLE.fullmatch(value)
        or _VARIABLE.fullmatch(value.strip("\"'\\ "))
        or _MASKS.fullmatch(value)
        or len(set(bare)) == 1
    ):
        return True
    if "redacted" in value.casefold() or (_MASK_RUN.search(value) and len(_MASK_RUN.sub("", value)) < 16):
        return True
    words = data()
    low = bare.casefold()
    if low in words.placeholders:
        return True
    if _WORDS_ONLY.fullmatch(bare) and _starts().match(low):
        return True
    if value.isupper() and "_" in value and _WORDS_ONLY.fullmatch(value):
        return True
    if (
        (_PLAIN_WORDS.fullmatch(low) is not None)
        and _ORDERS.match(low) is not None
        and _WHAT_FOR.search(low) is not None
    ):
        return True
    return bool(_YOURS.fullmatch(low) or _TO_CHANGE.fullmatch(low))


_LIES_IN = lazy(
    r"(?:op|vault|awssm|awsssm|aws-?secretsmanager|asm|ssm|sm|gcpsm|gcp-?secretmanager|azkv|azure-?keyvault|keyvault|akv|secretref|secret-ref"
    r"|keyvaultref|keyring|pass|bw|doppler|infisical|conjur|credstash|chamber|sops|kms|ref\+\w{1,30})://?[\w$%{}./#?=&:@+-]{3,300}"
    r"|(?:vault|secretref|keyvaultref|ref\+\w{1,30}|aws-?secretsmanager):[a-z][\w-]{0,60}[/#][\w./#?=&:-]{1,300}"
    r"|secretref:[\w.-]{1,200}|keyvaultref:\S{1,300}|ssm:/[\w./-]{1,300}"
    r"|arn:aws[\w-]{0,10}:(?:secretsmanager|ssm|kms):\S{1,300}"
    r"|projects/[\w.-]{1,100}/secrets/[\w.-]{1,255}(?:/versions/(?:\d{1,6}|latest))?"
    r"|@Microsoft\.KeyVault\(.{1,300}|ENC\[[A-Z0-9_]{3,20},.{1,4000}"
    r"|<path:[\w./#-]{1,300}>?"
)
"""Where a secret lies: its address in a store, its encrypted form for one. Whoever reads it has not the secret."""
_TAKEN_FROM = lazy(r"--(?:set|update|add|replace|env)?-?secrets?(?:[= ]|=?[\"'])[^\s\"']{0,180}$")
"""The option of a command that maps names to secrets of a store (``--set-secrets NAME=secret:version``)."""
_OF_VERSION = lazy(r"[a-z][\w/.-]{1,254}:(?:latest|\d{1,6})")


def reference(value: str, before: str = "") -> bool:
    """Whether a value tells where a secret lies instead of being it; ``before`` is what stands before it on its line."""
    bare = value.strip("\"'` ,;")
    return _LIES_IN.fullmatch(bare) is not None or (
        _TAKEN_FROM.search(before[-240:]) is not None
        and all(_OF_VERSION.fullmatch(one) for one in _MAPPED.sub(",", bare).split(","))
    )


_MAPPED = lazy(r",[A-Za-z_/][\w/.-]{0,100}=")


_PLAIN_WORDS = lazy(r"[^\W\d_]{1,24}(?:[ _.-](?:[^\W\d_]{1,24}|\d{1,4})){1,14}")
_ORDERS = lazy(
    r"(?:replace|change|set|generate|create|run|use|fill|put|insert|enter|add|paste|provide|choose|rotate|todo|tbd|fixme|see|ask|get|must|should"
    r"|at[ _.-]least|not|fake|dummy|sample|mock|bogus|any|some|min|minimum|ersetz\w*|zu|bitte|generier\w*|setze\w*|remplac\w*|changer|mettre|reemplaz\w*|cambi\w*"
    r"|generar?|poner|substitu\w*|trocar|inserir|sostitu\w*|inserisci|vervang\w*|wijzig\w*|vul|zmień|zamień|wstaw)(?=[ _.-])"
)
"""Words with which a value that is to be put in by somebody begins: ``replace-with-openssl-rand-hex-32``."""
_WHAT_FOR = lazy(
    r"[ _.-](?:with|by|openssl|rand|random|randomly|hex|base64|uuid|uuidgen|pwgen|secret|key|password|passphrase|token|here|value|chars?|characters|bytes|bits|long"
    r"|string|strong|me|this|it|prod|production|deploy|own|real|actual|vault|ops|mit|durch|werden|ersetzen|eintragen|hier|schlüssel|passwort|par|avec|clé|cle|ici|por|con|com|aqui|aquí"
    r"|clave|chave|senha|contraseña|chiave|qui|door|sleutel|hier|klucz|hasło|tutaj)(?=[ _.-]|$)"
)
"""What such an order goes on with."""
_TO_CHANGE = lazy(
    r"(?:change|replace|set|fill|edit|generate|update|rotate|override)[-_ ]?(?:me|this|it)(?:[-_ ]?(?:in|for|before|on|to)?[-_ ]?[a-z]{0,12})"
)
_YOURS = lazy(r"(?:my|your|the)[-_ ]?[a-z]{0,12}[-_ ]?(?:password|passwd|token|secret|(?:api)?[-_]?key)")


@cache
def _starts() -> re.Pattern[str]:
    return lazy(rf"(?:{'|'.join(data().starts)})[ _.-]")


def strong(value: str, least: int = 6) -> bool:
    """Whether a value looks chosen to be hard to guess: kinds of characters mixed, long enough."""
    if len(value) < least or any(c.isspace() for c in value):
        return False
    digits = any(c.isdigit() for c in value)
    letters = any(c.isalpha() for c in value)
    marks = any(not c.isalnum() and c not in "-_./:,;()[]{}<>'\"`\\|" for c in value)
    if digits and letters:
        return True
    if marks and (letters or digits) and len(value) >= max(8, least):
        return True
    upper = sum(c.isupper() for c in value)
    return (
        letters
        and len(value) >= 16
        and value.isalnum()
        and 2 <= upper <= len(value) - 2
        and not _camel(value)
    )


def _camel(value: str) -> bool:
    """Whether capitals come as at the beginnings of words, not as at random."""
    return max((len(p) for p in re.split(r"(?=[A-Z])", value)), default=0) >= 4 and not re.search(
        r"[A-Z][a-z][A-Z]", value
    )


def path_like(value: str) -> bool:
    """Whether a value is a path or an address without credentials, not a secret that holds slashes."""
    if _ADDRESS.match(value):
        return True
    if "/" not in value and "\\" not in value:
        return False
    if not _PATH.fullmatch(value):
        return False
    parts = [p for p in re.split(r"[\\/]", value) if p]
    # Base64 holds slashes too: then some part changes between capitals, small letters and digits as at random.
    return not any(len(p) >= 8 and len(_CHANGES.findall(p)) >= 3 and "." not in p for p in parts)


_CHANGES = lazy(r"[A-Z0-9](?=[a-z])[a-z](?=[A-Z0-9])|[a-z0-9](?=[A-Z])|[A-Za-z](?=[0-9])")


def _code(value: str) -> bool:
    """Whether a value is the name of something in code: ``settings.api_key``, ``process.env.TOKEN!``."""
    if _AMBIENT.match(value):
        return True
    if not _DOTTED.fullmatch(value):
        return False
    parts = re.split(r"\W+", value)
    return not any(len(p) >= 12 and len(_CHANGES.findall(p)) >= 4 and re.search(r"\d", p) for p in parts)


def hash_like(value: str) -> bool:
    """Whether a value has the form of a commit hash, a checksum or a UUID."""
    return _HASH.fullmatch(value) is not None


def distinctive(value: str) -> bool:
    """Whether a known secret can be told from ordinary words, so that it may be replaced wherever it stands."""
    if len(value) < 8 or len(value) > 512 or "\n" in value:
        return False
    if _WORD_LIKE.fullmatch(value) and len(value) < 20:
        # A word with a number ("postgres12") may as well be a name.
        return bool(re.search(r"\d", value)) and len(value) >= 12
    if value.isdigit():
        return len(value) >= 10
    return not path_like(value)


# --------------------------------------------------------------------------------------------------- cutting

_QUOTE = lazy(r"(?:[fFrRbBuU@]{1,2}(?=\\{0,3}[\"'`]))?(?P<q>\\{0,3}[\"'`])")
_ESCAPE = lazy(r"\\+(?=[\"'nrtu`])")
_BARE = lazy(r"[^\s\"'`<>]{1,512}")
_STOPS = lazy(r"[\u3001\u3002\uff01\uff0c\uff1b\u0964\u060c\u061b\u06d4]")
_SCRIPT = lazy(r"[\u0964\u060c\u061b\u06d4\u0e00-\u0e7f\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]")
_INNER = {q: lazy(rf"(?:[^{q}\\\n]|\\[^\n]){{0,{REACH}}}") for q in "\"'`"}


def _quoted(text: str, at: int) -> tuple[int, int] | None:
    """Bounds of what a quoted value at a place holds; ``None`` when there is no quote."""
    match = _QUOTE.match(text, at)
    if match is None:
        return None
    mark, start = match["q"], match.end()
    if len(mark) == 1:
        inner = _INNER[mark].match(text, start)
        end = inner.end() if inner else start
        if text[end : end + 1] != mark:
            # Never closed on its line: the text was cut, or the quote is an apostrophe. Up to the next space.
            bare = _BARE.match(text, start)
            return (start, bare.end() if bare else start)
        return (start, end)
    end = text.find(mark, start, start + REACH)
    if end < 0:
        bare = _BARE.match(text, start)
        end = bare.end() if bare else start
    return (start, end)


def _bare(text: str, at: int, *, query: bool = False) -> tuple[int, int]:
    """Bounds of an unquoted value: without what closes a bracket, separates fields or ends a sentence."""
    match = _BARE.match(text, at)
    if match is None:
        return (at, at)
    value = match[0]
    escape = _ESCAPE.search(value)
    if escape:
        value = value[: escape.start()]
    # Where no blanks are written the sentence goes on right behind the value.
    script = (_SCRIPT if value[:1].isascii() else _STOPS).search(value)
    if script:
        value = value[: script.start()]
    for stop in (r"[&#]" if query else r"&[\w.-]{1,64}=", r";|\|\||\|(?=\w)", r",[\w.\"'-]{1,64}[=:]"):
        cut = re.search(stop, value)
        if cut:
            value = value[: cut.start()]
    value = value.rstrip("\\,;")
    while value and value[-1] in ")]}" and "([{"[")]}".index(value[-1])] not in value:
        value = value[:-1].rstrip(",;")
    plain = value.rstrip(".:…")
    # Cut short by dots: a long rest is a secret still, a short one only shows its form.
    if plain and (len(plain) >= 16 or not value.endswith(("...", "…"))):
        value = plain
    return (at, at + len(value))


def _word(text: str, start: int, end: int) -> tuple[int, int]:
    """A shell word without its quotes."""
    if text[start : start + 2] == "$'":
        start += 1
    if end - start >= 2 and text[start] in "'\"" and text[end - 1] == text[start]:
        return (start + 1, end - 1)
    return (start, end)


def _given(text: str, start: int, end: int, kind: str) -> Iterator[Found]:
    """A value in a place where only a secret can stand."""
    value = text[start:end]
    if len(value) >= 2 and not placeholder(value) and not path_like(value):
        yield Found(start, end, kind, value)


_NAMES = (
    ("private", "private-key"), ("jwt", "token"), ("bearer", "token"), ("token", "token"), ("токен", "token"),
    ("トークン", "token"), ("令牌", "token"), ("토큰", "token"), ("sess", "session"), ("csrf", "session"),
    ("xsrf", "session"), ("signature", "signature"), ("sig", "signature"), ("key", "key"), ("ключ", "key"),
    ("密钥", "key"), ("密鑰", "key"), ("秘密鍵", "key"), ("psk", "key"), ("dsn", "connection-string"),
    ("connection", "connection-string"), ("auth", "token"), ("webhook", "webhook"), ("pass", "password"),
    ("secret", "secret"), ("секрет", "secret"), ("credential", "secret"), ("otp", "secret"), ("seed", "secret"),
    ("mnemonic", "secret"),
)  # fmt: skip
_SHORT = frozenset(
    {"pass", "pwd", "pw", "auth", "_auth", "sig", "otp", "totp", "dsn", "bearer", "jwt", "psk", "clave", "parola", "csrf", "xsrf",
     "heslo", "haslo", "passord", "webhook", "ключ", "credential", "credentials", "mnemonic"}
)  # fmt: skip
_IDENTIFIER = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$-"
_BASE64_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/="
_SEPARATOR = lazy(
    r"(?:[-_](?:base|prod|production|stage|staging|dev|test|live|old|new|current|value|hash|b64|base64|enc|ro|rw|root|admin|user|"
    r"app|main|master|primary|secondary|backup|default|\d{1,2})|\d{1,2})?(?P<close>(?:\\{0,3}[\"'`\])]){0,2})"
    r"(?P<before>[ \t]{0,8})(?P<sep>:=|=>|\|=|[:=]{1,2}|[：＝>])(?P<behind>[ \t]{0,8})",
    re.IGNORECASE,
)  # fmt: skip
_PARTS = lazy(r"[_.$-]+|(?<=[a-z0-9])(?=[A-Z])")
_NO_PASSWORD = frozenset(
    {
        "no",
        "has",
        "is",
        "show",
        "hide",
        "toggle",
        "forgot",
        "with",
        "without",
        "use",
        "by",
        "com",
        "over",
        "under",
        "tres",
        "bi",
        "en",
    }
)
_LABEL_STEMS = lazy(r"pass(?:w|phrase|code|\b)|pwd|token|secret|(?:^|_)key|credential|auth", re.IGNORECASE)


def _kind(label: str) -> str:
    low = label.casefold()
    return next((kind for stem, kind in _NAMES if stem in low), "password")


def _line(text: str, start: int, end: int) -> tuple[str, str]:
    """What stands before and behind a place on its line, at most 200 characters each."""
    before = text[max(0, start - 200) : start].rpartition("\n")[2]
    behind = text[end : end + 200].partition("\n")[0]
    return before, behind


def label(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """``DB_PASSWORD=…``, ``"password": "…"``, ``api_key: …``, ``<password>…</password>``, ``?token=…``."""
    match = _SEPARATOR.match(text, end)
    if match is None:
        return
    sep, at = match["sep"], match.end()
    if sep == "::" or (sep == ":" and text.startswith("//", at)):
        return
    name = text[start:end]
    around = text[max(0, start - 60) : start]
    prefix = around[len(around.rstrip(_IDENTIFIER)) :]
    before = text[start - len(prefix) - 1 : start - len(prefix)] if start > len(prefix) else ""
    low = name.casefold().lstrip("-_.")
    kind = _kind(low)
    if prefix and prefix[-1].isalpha() and name[0] not in "-_.":
        camel = (prefix[-1].islower() and name[0].isupper()) or (prefix + name).isupper()
        if not camel and (low in _SHORT or not name.isascii()):
            return
    parts = [p.casefold() for p in _PARTS.split(prefix) if p]
    last = parts[-1] if parts else ""
    if (
        last in (_NO_PASSWORD if kind == "password" else data().harmless)
        and last != low
        and last + low != "tokensecret"
    ):
        return
    if sep == ">" and (before != "<" or match["close"]):
        return
    if low in ("sig", "x-amz-signature", "x-goog-signature", "x-amz-security-token") and before not in "?&;":
        return
    key = prefix + name
    if low in ("auth", "_auth") and (together := _together(text, at, key)) is not None:
        yield together
        return
    query = before in ("?", "&") and before != ""
    bounds = _quoted(text, at)
    quoted = bounds is not None
    start_value, end_value = bounds or _bare(text, at, query=query)
    if sep == ">":
        close = text.find("<", at, at + REACH)
        start_value, end_value, quoted = at, (close if close > 0 else at), True
    value = text[start_value:end_value]
    if reference(value, text[max(0, start_value - 240) : start_value].rpartition("\n")[2]):
        return
    spaced = bool(match["before"] or match["behind"])
    loud = key.isupper() and len(key) > 4
    tight = "=" in sep and not spaced and not match["close"]
    # `NAME`: and (NAME): are prose about a variable.
    told = "_" in key and (quoted or (sep in (":", "=") and not match["close"].strip("\"'\\")))
    environment = (tight and (loud or query or prefix.startswith("-"))) or (loud and told)
    if _label_value(text, start - len(prefix), end_value, low, kind, value, sep, quoted, spaced, environment):
        yield Found(start_value, end_value, kind, value)


_USER_AND = lazy(
    r"[\"'`]?[\w.@+-]{1,64}(?P<sep>[/:])(?P<value>[^\s\"'`/:;,]{4,128})(?=[\"'`]?(?:[\s,;})\]]|\Z))"
)
_TUPLE = lazy(
    r"[(\[]\s{0,4}[\"'][^\"'\n]{1,64}[\"']\s{0,4},\s{0,4}[\"'](?P<value>[^\"'\s]{4,128})[\"']\s{0,4}[)\]]"
)


def _together(text: str, at: int, key: str) -> Found | None:
    """The password of ``NEO4J_AUTH=user/password``, ``HTTP_AUTH=user:password`` and ``auth=("user", "password")``, be it an ordinary word."""
    match = _TUPLE.match(text, at)
    if match is None:
        match = _USER_AND.match(text, at)
        # A path stands where a slash does, unless the program is known to write it so.
        if match is None or not ("neo4j" in key.casefold() or (match["sep"] == ":" and key.isupper())):
            return None
    value = match["value"]
    if placeholder(value) or value.casefold() in data().types or (value.isdigit() and len(value) < 6):
        return None
    return Found(*match.span("value"), "password", value)


def _label_value(  # noqa: PLR0917 - one judgement, its evidence in the order in which it was read
    text: str,
    begin: int,
    end: int,
    low: str,
    kind: str,
    value: str,
    sep: str,
    quoted: bool,
    spaced: bool,
    given: bool,
) -> bool:
    """Whether what follows a label is a secret."""
    if len(value) < 3 or placeholder(value) or path_like(value) or LOG_ID.fullmatch(value):
        return False
    if _ALGORITHM.match(value) or value.casefold() in data().types:
        return False
    if low == "auth":
        return quoted and _basic(value)
    if low == "_auth":
        return len(value) >= 6
    if low in ("dsn", "connectionstring", "connection-string", "connection_string", "connection string"):
        return False  # the credentials in it have cues of their own
    secret_word = kind == "password"
    if value.isdigit():
        return (secret_word and len(value) >= 4) or (given and len(value) >= 10)
    if not quoted and ("(" in value or "[" in value or "{" in value or value.startswith(("&", "!"))):
        return given and strong(value, 8) and "(" not in value
    if _code(value) and (_AMBIENT.match(value) or not (given and re.search(r"\d", value))):
        return False
    if given:
        return not (kind != "password" and value.isalpha() and len(value) < 6)
    if any(c.isspace() for c in value):
        # Words are prose, unless the label promises words.
        return quoted and (
            "phrase" in low
            or low == "mnemonic"
            or (secret_word and len(value.split()) <= 2 and strong(value.replace(" ", ""), 8))
        )
    word_like = _WORD_LIKE.fullmatch(value) is not None
    if word_like and _LABEL_STEMS.search(value):
        # The name of a variable or a field, unless it is one quoted word such as "topsecret".
        named = re.search(r"[_.-]|[a-z][A-Z]", value) or value.casefold().startswith(("pass", "pwd", "token"))
        if not quoted or (named and not re.search(r"\d", value)):
            return False
    if not secret_word:
        return (
            strong(value, 8)
            and not (word_like and len(value) < 20)
            and not (hash_like(value) and len(value) <= 8)
        )
    if strong(value, 5):
        return not (word_like and value.rstrip("0123456789").casefold() in data().types)
    if not value.isascii() and not quoted:
        return False
    if quoted:
        return sep != "==" and len(value) >= 4 and not value.istitle()
    before, behind = _line(text, begin, end)
    alone = not before.strip(" \t-\"'>*#|") and not behind.strip(" \t\r\"'|*")
    if sep in (":", "："):
        return alone and value.islower() and len(value) >= 4
    fields = re.search(r"(?:^|[\s;])\w+=[^\s;]+[\s;]\s*\Z", before) or re.match(r"\s*[;\s]\s*\w+=", behind)
    return not spaced and len(value) >= 3 and (alone or bool(fields)) and "(" not in before


def _basic(value: str) -> bool:
    """Whether a value is ``user:password`` in base64."""
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in plain and all(32 <= c < 127 for c in plain)


_PAIR = lazy(
    r"(?: (?:field|input|box|textbox))?\\{0,3}[\"']?[\s,]{1,40}(?:\\{0,3}[\"']?(?:ref|target|role|type|sensitive|secret)"
    r"\\{0,3}[\"']?\s{0,4}[:=]\s{0,4}\\{0,3}[\"']?[^\"'\s]{1,40}[\"']?\s{0,4},?\s{0,4}){0,2}\\{0,3}[\"']?"
    r"(?:value|text|content|default)\\{0,3}[\"']?\s{0,4}[:=]\s{0,4}",
    re.IGNORECASE,
)  # fmt: skip


def pair(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """``name: DB_PASSWORD`` with ``value: …`` beside it, in YAML, JSON and XML."""
    match = _PAIR.match(text, end)
    if match is None:
        return
    bounds = _quoted(text, match.end())
    first, last = bounds or _bare(text, match.end())
    value = text[first:last]
    if len(value) < 3 or placeholder(value) or path_like(value) or value.casefold() in data().types:
        return
    if any(c.isspace() for c in value) or _code(value):
        return
    kind = _kind(text[start:end])
    if kind == "password" or strong(value, 8):
        yield Found(first, last, kind, value)


_LISTED = lazy(r"\\{0,3}[\"']\s{0,3},\s{0,3}")


def listed(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """``define('DB_PASSWORD', '…')``, ``os.getenv("API_KEY", "…")``."""
    match = _LISTED.match(text, end)
    bounds = _quoted(text, match.end()) if match else None
    if bounds is None:
        return
    value = text[bounds[0] : bounds[1]]
    if strong(value) and not _WORD_LIKE.fullmatch(value) and not _code(value):
        yield from _given(text, *bounds, _kind(text[start:end]))


_OPTION = lazy(rf"[\"']?,?[ \t]{{1,4}}(?P<word>{_WORD})")


def option(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """``--password …`` with the value as the next word."""
    match = _OPTION.match(text, end)
    if match is None:
        return
    first, last = _word(text, *match.span("word"))
    if not command:
        last = first + len(text[first:last].rstrip(".,:)]"))
    value = text[first:last]
    if len(value) < 3 or placeholder(value) or path_like(value) or (value.isupper() and value.isalpha()):
        return
    if any(c.isspace() for c in value) and not command:
        return
    # A manual or an explanation names the option too: there an ordinary word follows it.
    if not command and not strong(value) and (value.casefold() in data().types or value.isalpha()):
        before, _ = _line(text, start, end)
        if (
            value.casefold() in data().types
            or not re.match(r"\s*(?:[$#>%]\s|\w+\s+(?:\S+\s+)*\S*\Z)", before)
            or len(value) < 6
        ):
            return
    yield Found(first, last, _kind(text[start:end].lstrip("-")), value)


_SEGMENT = lazy(
    r"(?:[^\n;|&'\"\\]|\\.|\\\n|\|(?=\S)(?!\|)|'[^']{0,1000}'|\"(?:[^\"\\]|\\.){0,1000}\"|&(?!&)){0,1500}",
    re.DOTALL,
)


def command_line(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """Options and arguments of the commands in ``rules.toml``."""
    name = text[start:end].split(" ", 1)[0]
    if start and (
        text[start - 1] in "-_.@="
        or (
            text[start - 1] == "/"
            and not re.search(r"(?:^|[\s'\"`(])[\w./~-]{0,80}/\Z", text[max(0, start - 100) : start])
        )
    ):
        return
    segment_match = _SEGMENT.match(text[start : start + REACH])
    segment = segment_match[0] if segment_match else ""
    if segment.count("\n") and "\\\n" not in segment:
        segment = segment.partition("\n")[0] if not re.search(r"['\"][^'\"]*\n", segment) else segment
    yield Found(start + len(segment), start + len(segment), "", "")
    for pattern in data().commands.get(name, ()):
        if pattern.only is not None and not pattern.only.search(segment):
            continue
        for match in pattern.find.finditer(segment):
            first, last = _word(segment, *match.span("word"))
            value = segment[first:last]
            if pattern.cut == "cookie":
                yield from _cookies(text, start + first, start + last)
                continue
            if pattern.after is not None:
                position = value.find(pattern.after)
                if position < 0:
                    continue
                first += position + 1
            if pattern.upto is not None and pattern.upto in segment[first:last]:
                last = first + segment[first:last].index(pattern.upto)
            if (
                not command
                and segment[first:last].isalpha()
                and segment[first:last].casefold() in data().types
            ):
                continue
            yield from _given(text, start + first, start + last, "password")


_ECHO = lazy(r"(?:\s+-[neE]+)*\s+(?:[\"']%s(?:\\+n)?[\"']\s+)?")
_ECHOED = lazy(_WORD)
_HERE = lazy(rf"<<<\s*(?P<word>{_WORD})")


def piped(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """``echo '…' | sudo -S``, ``printf '%s' … | docker login --password-stdin``, ``echo u:p | chpasswd``."""
    match = _ECHO.match(text, end)
    if match is None:
        return
    bounds = _quoted(text, match.end())
    if bounds is None:
        word = _ECHOED.match(text, match.end())
        bounds = word.span() if word else (match.end(), match.end())
    first, last = bounds
    sink = text[last : last + 300].partition("\n")[0]
    # A password that is asked for twice comes as two lines.
    ends = [(mark.start(), mark.end()) for mark in _NEWLINE.finditer(text, first, last)]
    for end_of_line, behind in [*ends, (last, last)]:
        value = text[first:end_of_line]
        begin = first + (value.index(":") + 1 if "chpasswd" in sink and ":" in value else 0)
        if not any(c.isspace() for c in value):
            yield from _given(text, begin, end_of_line, "password")
        first = behind


_NEWLINE = lazy(r"\\+n|\n")


def herestring(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """``sudo -S … <<< '…'``."""
    match = _HERE.search(text, end, end + 400)
    if match:
        first, last = _word(text, *match.span("word"))
        if text[start:end] == "chpasswd" and ":" in text[first:last]:
            first += text[first:last].index(":") + 1
        yield from _given(text, first, last, "password")


_AUTHORITY = lazy(r"[^\s/?#\"'<>`\\]{1,512}")


def userinfo(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """``scheme://user:password@host`` and ``https://token@host``."""
    match = _AUTHORITY.match(text, end)
    if match is None or "@" not in match[0]:
        return
    who = match[0].rpartition("@")[0]
    user, colon, password = who.partition(":")
    if colon and len(password) >= 2 and not placeholder(password):
        yield Found(end + len(user) + 1, end + len(who), "password", password)
    if len(user) >= 20 and strong(user) and not _WORD_LIKE.fullmatch(user) and not placeholder(user):
        yield Found(end, end + len(user), "token", user)


_HEADER = lazy(r"(?:\\{0,3}[\"'`]){0,2}\]?[ \t]{0,4}[:=,][ \t]{0,4}(?P<f>f)?(?P<quote>\\{0,3}[\"'`])?")
_SCHEME = lazy(
    r"(?:Bearer|Basic|Token|ApiKey|API-Key|OAuth|Negotiate|NTLM|GenieKey|SSWS|Key|DPoP|Splunk|Klaviyo-API-Key|PVEAPIToken=|"
    r"AWS4-HMAC-SHA256|token|bearer|basic)[ \t]{0,4}(?:token=[\"']?)?(?![A-Za-z]*[:=]\s)",
    re.IGNORECASE,
)  # fmt: skip
_CREDENTIAL = lazy(r"[^\s\"'`,;<>\\]{1,8192}")
_SIGNATURE = lazy(r"\bSignature=([0-9a-fA-F]{16,128})|\bresponse=\"?([0-9a-f]{32})")
_SIGNED = lazy(r"AWS4-HMAC-SHA256\s|Digest\s", re.IGNORECASE)


def header(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """``Authorization: Bearer …``, ``X-Api-Key: …``, ``Cookie: …`` in HTTP, curl, JSON and code."""
    match = _HEADER.match(text, end)
    if match is None:
        return
    name, at = text[start:end].casefold(), match.end()
    if name in ("cookie", "set-cookie"):
        line = _COOKIES.match(text, at)
        yield from _cookies(text, at, line.end() if line else at)
        return
    if _SIGNED.match(text, at):
        for found in _SIGNATURE.finditer(text, at, at + REACH):
            group = 1 if found[1] else 2
            yield Found(found.start(group), found.end(group), "signature", found[group])
        return
    scheme = _SCHEME.match(text, at)
    explicit = scheme is not None and scheme.end() > at and (scheme[0][-1] in " \t=\"'")
    if scheme is not None and explicit:
        at = scheme.end()
    credential = _CREDENTIAL.match(text, at)
    if credential is None:
        return
    value = credential[0].rstrip(")]}.") if "{" not in credential[0] else credential[0]
    if (
        placeholder(value)
        or path_like(value)
        or value.casefold() in data().types
        or "(" in value
        or "${" in value
    ):
        return
    if _code(value):
        return
    # A scheme such as Bearer says enough, unless the word is prose about it ("authorization, bearer tokens").
    told = explicit and (match["quote"] or ":" in match[0])
    enough = len(value) >= 6 if told else strong(value, 8)
    if enough and not (value.isalpha() and len(value) < 16 and not explicit):
        kind = "token" if "authorization" in name or "token" in name else "key"
        yield Found(at, at + len(value), kind, value)


_COOKIES = lazy(r"[^\"'`\n]{0,8192}")
_COOKIE = lazy(r"(?P<name>[\w.%$-]{1,80})=(?P<value>[^;\s\"'`,<>\\]{1,4096})")
_ATTRIBUTES = frozenset(
    {"path", "expires", "max-age", "domain", "samesite", "priority", "version", "secure", "httponly"}
)
_SESSION_NAME = lazy(
    r"sess|sid\b|_sid|token|auth|jwt|csrf|xsrf|remember|login|secret|key|pass|ticket|user", re.IGNORECASE
)


def _cookies(text: str, first: int, last: int) -> Iterator[Found]:
    for match in _COOKIE.finditer(text, first, last):
        value = match["value"]
        if match["name"].casefold() in _ATTRIBUTES or len(value) < 6 or placeholder(value):
            continue
        if (_SESSION_NAME.search(match["name"]) and not value.isalpha()) or strong(value, 16):
            yield Found(*match.span("value"), "cookie", value)


_BEARER = lazy(r"[ \t]{1,4}(?P<value>[A-Za-z0-9._~+/=-]{8,8192})")


def bearer(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """``Bearer …`` wherever it stands; ``Basic …`` when it decodes to user and password."""
    match = _BEARER.match(text, end)
    if match is None:
        return
    value = match["value"].rstrip(".")
    if text[start:end].casefold() == "basic":
        good = _basic(value)
    else:
        good = (
            strong(value, 12)
            and not _WORD_LIKE.fullmatch(value)
            and not placeholder(value)
            and not path_like(value)
        )
    if good:
        yield Found(match.start("value"), match.start("value") + len(value), "token", value)


_ARMOUR = lazy(
    r"(?:\s|\\+[rn])*(?:[A-Za-z-]{1,40}: [^\n\\]{1,100}(?:\s|\\+[rn])+){0,8}[A-Za-z0-9+/=]{16,}"
    r"(?:(?:[ \t\r\n]|\\+[rn]){1,4}[A-Za-z0-9+/=]{20,})*(?:(?:\n|\\+n)(?=[a-z]{0,18}[0-9A-Z+/=])[A-Za-z0-9+/=]{1,19}(?![^\s\"'\\]))?"
)
_KEY_END = lazy(
    r"-----END [A-Z0-9 ]{0,80}KEY(?: BLOCK)?-----|---- END SSH2 ENCRYPTED PRIVATE KEY ----|-----END OpenVPN Static key V1-----|"
    r"Private-MAC: [0-9a-f]{1,128}"
)  # fmt: skip
_BODY = lazy(r"[A-Za-z0-9+/=]")


def pem(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """A private key with its armour; a block cut off before its end counts as far as it goes."""
    another = text.find("-----BEGIN", end, end + BLOCK)
    closing = _KEY_END.search(text, end, another if another > 0 else end + BLOCK)
    if closing:
        last, least = closing.end(), 8
        body = text[end : closing.start()]
    else:
        run = _ARMOUR.match(text, end, end + BLOCK)
        last, least = (run.end() if run else end), 40
        body = text[end:last]
    plain = re.sub(r"\\+[nr]|[\s.*…]|\w+-\w+:[^\n]*", "", body)
    if len(_BODY.findall(plain[:200])) < least:
        return
    while last > end and text[last - 1] in " \t\r\n":
        last -= 1
    yield Found(start, last, "private-key", text[start:last])


_BASE64 = lazy(r"[A-Za-z0-9+/]{16,40000}={0,2}")


def pem64(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """A private key in base64, as in kubeconfig and Kubernetes secrets; certificates pass."""
    run = _BASE64.match(text, start)
    if run:
        head = run[0][:160]
        plain = base64.b64decode(head[: len(head) // 4 * 4])
        if b"PRIVATE KEY" in plain:
            yield Found(start, run.end(), "private-key", run[0])


_NETRC = lazy(rf"login\s{{1,8}}\S{{1,200}}\s{{1,8}}password\s{{1,8}}(?P<word>{_WORD})")


def netrc(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """``machine … login … password …``."""
    match = _NETRC.match(text, start)
    if match:
        yield from _given(text, *_word(text, *match.span("word")), "password")


_PGPASS = lazy(r"[^:\s]{1,64}:[^:\s]{1,64}:(?P<value>[^\s\"']{1,200})")


def pgpass(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """``host:5432:database:user:password``; other ports only beside the name of the file."""
    match = _PGPASS.match(text, end)
    if match is None:
        return
    port = text[start:end].rstrip(":").rpartition(":")[2]
    known = (
        port in ("5432", "5433", "6432", "6543", "*") or "pgpass" in text[max(0, start - 2000) : end + 500]
    )
    if known and not re.search(r":\d+:", match[0]):
        yield from _given(text, *match.span("value"), "password")


_CRYPT = lazy(r"[A-Za-z0-9./$,=+-]{20,300}")


def crypt(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """A hash of a password as in shadow and htpasswd."""
    match = _CRYPT.match(text, end)
    if match:
        yield Found(start, match.end(), "password-hash", text[start : match.end()])


_SCHEMED = lazy(r"[A-Za-z0-9./$+:=]{16,300}")


def scheme(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """``{SSHA}…`` of directories, ``SCRAM-SHA-256$…`` of databases."""
    match = _SCHEMED.match(text, end)
    if match:
        yield Found(start, match.end(), "password-hash", text[start : match.end()])


_SQL = lazy(r"\s{0,4}\(?\s{0,4}(?=\\{0,3}['\"])")
_ROLE = lazy(
    r"\b(?:role|user|login|alter|create|set|grant|attach|connection|server|subscription)\b",
    re.IGNORECASE,
)


def sql(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """``IDENTIFIED BY '…'``, ``ALTER ROLE … PASSWORD '…'``, ``PASSWORD('…')``."""
    match = _SQL.match(text, end)
    bounds = _quoted(text, match.end()) if match else None
    if bounds is None:
        return
    value = text[bounds[0] : bounds[1]]
    if value.casefold() in data().types or len(value) > 200:
        return
    alone = strong(value) and not any(c.isspace() for c in value)
    if alone or _ROLE.search(text, max(0, start - 200), start):
        yield from _given(text, *bounds, "password")


_NEXT = lazy(rf"[\"']?(?:\s{{1,4}}|=)(?P<word>{_WORD})")


def directive(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """``requirepass …``, ``aws configure set aws_secret_access_key …``, ``--from-literal=key=…``, ``send "…\\r"``."""
    name = text[start:end]
    low = name.casefold()
    if low.startswith("send"):
        yield from _sent(text, start, end)
        return
    match = _NEXT.match(text, end)
    if match is None:
        return
    first, last = _word(text, *match.span("word"))
    value = text[first:last]
    if low == "--from-literal":
        if "=" not in value:
            return
        first += value.index("=") + 1
        if text[first : first + 1] in ("'", '"'):
            first, last = _word(text, first, last)
    elif low == "auth":
        if name != "AUTH" or not (strong(value, 8) or command) or value.casefold() in data().types:
            return
    elif value.startswith("-") or (not command and value.casefold() in data().types):
        return
    yield from _given(text, first, last, "password" if "key" not in low and "token" not in low else "key")


def _sent(text: str, start: int, end: int) -> Iterator[Found]:
    """What an expect script types at a password prompt, without the key that ends it."""
    bounds = _quoted(text, end + len(text[end : end + 4]) - len(text[end : end + 4].lstrip(" \t")))
    if bounds and re.search(r"assword|assphrase", text[max(0, start - 300) : start]):
        value = re.sub(r"(?:\\+[rn]|[\r\n])+\Z", "", text[bounds[0] : bounds[1]])
        yield from _given(text, bounds[0], bounds[0] + len(value), "password")


_TOKEN = lazy(r"[A-Za-z0-9_.~+/=$-]{8,4096}")
_SLASHED = ("4/0A", "1//0", "access_token$", "SG.", "BBDC-", "ABSK", "eyJrIjoi")


def prefixed(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """A token known by its prefix: the rest must look random, not like the words of an identifier."""
    prefix = text[start:end]
    match = _TOKEN.match(text, start)
    if match is None:
        return
    token = match[0]
    if not prefix.startswith(_SLASHED):
        token = re.split(r"[/+$]", token, maxsplit=1)[0]
    token = token.rstrip(".-~")
    if text.startswith("(", start + len(token)) or _MASK_RUN.search(token) or PSEUDONYM.search(token):
        return
    if re.fullmatch(r"AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9]|LTAI|AKID|EAAA", prefix[:4]):
        if re.fullmatch(
            r"(?:AKIA|ASIA|ABIA|ACCA|A3T.)[A-Z0-9]{12,124}|(?:LTAI|AKID|EAAA)\w{12,80}", token
        ) and strong(token, 16):
            yield Found(
                start,
                start + len(token),
                "aws-access-key" if prefix[0] == "A" and prefix[:4] != "AKID" else "access-key",
                token,
            )
        return
    body = token[len(prefix) :] if not prefix.startswith("eyJ") else token
    parts = [p for p in re.split(r"[_.=~-]", body) if p]
    random = any(
        len(p) >= 8 and strong(p, 8) and not re.fullmatch(r"[a-z]+\d{1,3}", p) for p in parts
    ) or any(len(p) >= 20 and p.isalnum() for p in parts)
    if len(body) >= 12 and random:
        yield Found(start, start + len(token), _vendor(prefix), token)


_VENDORS = (
    ("ghp_", "github-pat"), ("gh", "github-token"), ("github", "github-pat"), ("gl", "gitlab-token"), ("npm", "npm-token"),
    ("pypi", "pypi-token"), ("dckr", "docker-token"), ("hf_", "huggingface-token"), ("api_org", "huggingface-token"),
    ("xox", "slack-token"), ("xapp", "slack-token"), ("sk-ant", "anthropic-key"), ("sk-or", "openrouter-key"),
    ("sk_", "stripe-key"), ("rk_", "stripe-key"), ("whsec", "stripe-key"), ("sk-", "openai-key"), ("SG.", "sendgrid-key"),
    ("AIza", "google-key"), ("ya29", "google-token"), ("GOCSPX", "google-secret"), ("1//0", "google-token"), ("4/0A", "google-token"),
    ("shp", "shopify-token"), ("do", "digitalocean-token"), ("hv", "vault-token"), ("AGE-", "age-key"),
)  # fmt: skip


def _vendor(prefix: str) -> str:
    return next((kind for start, kind in _VENDORS if prefix.startswith(start)), "token")


_HOOK = lazy(r"[A-Za-z0-9_:%/@.=-]{6,400}")


def hook(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """Addresses of incoming webhooks and bots: who knows the path may post."""
    match = _HOOK.match(text, end)
    if match is None:
        return
    last = match.end()
    path = match[0]
    if text[start:end].endswith("/bot"):
        path = path.partition("/")[0]
        last = end + len(path)
    path = path.rstrip(".")
    last = end + len(path)
    if len(path) >= 10 and re.search(r"\d", path) and not placeholder(path):
        yield Found(end, last, "webhook", path)


_JWT = lazy(r"eyJ[\w-]{8,4096}(?:\.[\w-]{0,8192}){1,4}={0,2}")


def jwt(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """A JSON web token, signed or encrypted."""
    match = _JWT.match(text, start)
    if match:
        token = match[0].rstrip(".")
        head = token.partition(".")[0]
        try:
            plain = base64.urlsafe_b64decode(head + "=" * (-len(head) % 4))
        except (binascii.Error, ValueError):
            return
        if b'"' in plain:
            yield Found(start, start + len(token), "jwt", token)


def bot(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """Tokens of Telegram and Discord bots."""
    yield Found(start, end, "bot-token", text[start:end])


_JWK = lazy(r"\"(?:d|p|q|dp|dq|qi|k)\"\s{0,4}:\s{0,4}\"(?P<value>[\w-]{16,1024})\"")


def jwk(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """The private members of a JSON web key."""
    first = text.rfind("{", max(0, start - REACH), start)
    last = text.find("}", end, end + REACH)
    if first >= 0 and last > 0:
        for match in _JWK.finditer(text, first, last):
            yield Found(*match.span("value"), "private-key", match["value"])
        yield Found(last, last, "", "")


# ----------------------------------------------------------------------------------------------- substitutions

_EDITOR = lazy(r"\b(?:[gs]?sed|perl|ruby|[gmn]?awk|g?vim?|nvim|ex|ed)\b|%s")
_EXCHANGE = lazy(
    r"(?<![A-Za-z_.-])s(?:(?P<d>[^\w\s\\\"'`(){}\[\]<>=.])(?P<old>(?:\\.|(?!(?P=d))[^\\\n]){0,300})(?P=d)"
    r"(?P<new>(?:\\.|(?!(?P=d))[^\\\n]){0,400})|\{(?P<old2>[^{}\n]{1,300})\}\s{0,2}\{(?P<new2>[^{}\n]{0,400}))"
)
"""``s/old/new/`` with any delimiter, and ``s{old}{new}``."""
_EXCHANGED = lazy(
    r"(?:\(|\s)\s{0,4}(?:/(?P<old>(?:\\.|[^\\/\n]){1,300})/[a-z]{0,4}|r?\\{0,3}(?P<q>[\"'])(?P<old2>(?:(?!\\{0,3}(?P=q))[^\n]){1,300})\\{0,3}"
    r"(?P=q))\s{0,4},\s{0,4}[rf]{0,2}\\{0,3}(?P<q2>[\"'])(?P<new>(?:(?!\\{0,3}(?P=q2))[^\n]){1,400})"
)
"""The same as a call: ``sub(/old/, "new")``, ``.replace("old", "new")``, ``-replace 'old','new'``."""
_CALL = lazy(r"\b(?:g?sub|gensub|subn|[Rr]eplace(?:_?[Aa]ll|_first|First)?)\b")
_PATTERN = lazy(
    r"\.[*+?]|\.\\?\{|\[[^\]\n]{1,60}\]\\?[*+?{]|\[\^|\[\[:|\\[SsWwDdBb(+?|]|\)[*+?]|\([?.]|(?<!\\)\$\Z|\A\^"
)
_CALLED = lazy(
    r"(?:pass(?:w(?:or)?d|wort|phrase|code)?|pwd|kennwort|secret|token|(?:api|access|auth|private|signing|encryption|secret|account|_)[-_]?key|"
    r"credentials?|psk)(?:_(?:base|prod|stag(?:e|ing)|dev|test|live|old|new|hash|root|admin|user|app|\d{1,2}))?",
    re.IGNORECASE,
)
_BETWEEN = lazy(r"(?:\\{0,3}[\"'`\])]){0,3}(?:\s{0,8}(?::=|=>|[:=|]{1,2}|,)\s{0,8}|\s{1,8})[\\\"'`]{0,4}")
_REFERENCE = lazy(r"(?:\\{1,4}|\$)(?:\d|g<\w{1,20}>|\{\w{1,20}\})|&")

_ADDRESSED = lazy(r"/[^/\n]{1,80}/[ \t!,g]{0,4}\Z")
"""The pattern that says which lines a substitution is for: ``/^password/s/=.*/=…/``."""
_LEAD = lazy(r"\\{0,3}[\"']{1,3}")


def _parts(match: re.Match[str]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where the pattern of a substitution stands, and where the text that takes its place."""
    if match["old"] is not None:
        return match.span("old"), match.span("new")
    return match.span("old2"), match.span("new2" if "new2" in match.re.groupindex else "new")


def clip(text: str, one: Found) -> Found | None:
    """A finding within ``s/old/new/`` ends where its part does, and a pattern with wildcards is no secret."""
    before = text[max(0, one.start - 600) : one.start]
    if not _EDITOR.search(before):
        return one
    line = one.start - len(before[-400:].rpartition("\n")[2])
    for match in _EXCHANGE.finditer(text, line, one.start + 800):
        if match.start() > one.start:
            break
        for number, (first, last) in enumerate(_parts(match)):
            # The value may begin behind the part when the label ends it: s/password:/…/.
            if first <= one.start <= last:
                end = min(one.end, last)
                value = text[one.start : end]
                if number == 0 and (_PATTERN.search(value) or value == "$"):
                    return None
                if end < one.end:
                    value = value.rstrip("\"'\\,;")
                    if len(value) < 3 or placeholder(value):
                        return None
                    return Found(one.start, one.start + len(value), one.kind, value)
                return one
    return one


def exchange(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """What a substitution writes: ``s/password: .*/password: …/``, ``s/__TOKEN__/…/``, ``sub(/pwd=.*/, "pwd=…")``."""
    # The cue reaches to a label far behind: what stands between may hold further substitutions.
    line = text.find("\n", end, start + 1800)
    reach = line if line >= 0 else start + 1800
    editor = _EDITOR.search(text, max(0, start - 600), start + 1)
    late = None if editor else _EDITOR.search(text, start + 1, reach)
    if editor:
        for match in _EXCHANGE.finditer(text, start, reach):
            yield from _exchanged(text, match)
    for call in _CALL.finditer(text, start, reach):
        match_of_call = _EXCHANGED.match(text, call.end(), reach)
        if match_of_call is not None:
            yield from _exchanged(text, match_of_call)
    # An editor that is named only behind this cue makes a cue of its own there.
    read = late.start() if late else min(reach, start + 1000)
    yield Found(read, read, "", "")


def _exchanged(text: str, match: re.Match[str]) -> Iterator[Found]:
    """The secrets of one substitution: what it takes away, where that is spelled out, and what it writes."""
    (first, last), (begin, stop) = _parts(match)
    old = _CALLED.search(text, first, last)
    address = _ADDRESSED.search(text, max(0, match.start() - 100), match.start()) if old is None else None
    wild = _PATTERN.search(text, first, last) is not None
    if old is not None and not wild:
        # The value that is replaced is written out: it was the secret before.
        between = _BETWEEN.match(text, old.end(), last)
        if between is not None and between.end() < last:
            yield from _written(text, between.end(), last, _kind(old[0]), told=False)
    named = None
    for named in _CALLED.finditer(text, begin, stop):
        between = _BETWEEN.match(text, named.end(), stop)
        if between is not None:
            yield from _written(text, between.end(), stop, _kind(named[0]), told=wild)
            return
    if named is not None:
        return
    if address is not None:
        old = _CALLED.search(address[0])
    elif old is not None and old.end() < last and text[old.end()].isalpha():
        return
    if old is None:
        return
    lead = _LEAD.match(text, begin, stop)
    at = lead.end() if lead else begin
    reference = _REFERENCE.match(text, at, stop)
    if reference is not None:
        at = reference.end()
    at += len(text[at:stop]) - len(text[at:stop].lstrip(" \"'=:"))
    yield from _written(text, at, stop, _kind(old[0]), told=False)


def _written(text: str, start: int, stop: int, kind: str, *, told: bool) -> Iterator[Found]:
    """The value at the end of what is written, without its quotes."""
    value = text[start:stop]
    for mark in ('\\"', "\\'", '"', "'"):
        if mark in value:
            value = value[: value.index(mark)]
    value = value.rstrip("\\,; \t")
    if len(value) < 4 or placeholder(value) or _code(value) or LOG_ID.fullmatch(value):
        return
    # A password may hold a slash; an escaped one comes from the delimiter.
    if path_like(value) and (kind != "password" or not strong(value) or value[0] in "/.~$%\\"):
        return
    if any(c.isspace() for c in value) or "(" in value or value.casefold() in data().types or "${" in value:
        return
    if _WORD_LIKE.fullmatch(value) and _LABEL_STEMS.search(value):
        return
    if kind == "password":
        good = strong(value, 5) or (told and value.isalpha() and value.islower())
    else:
        good = strong(value, 8) and not (_WORD_LIKE.fullmatch(value) and len(value) < 20)
    if good:
        yield Found(start, start + len(value), kind, value)


# ---------------------------------------------------------------------------------------- told in a sentence

_KINDS = {
    "pin": "password",
    "token": "token",
    "key": "key",
    "secret": "secret",
    "password": "password",
    "code": "password",
    "login": "password",
}
"""Fields of a row of ``told.toml`` that name a secret, with its kind; those with the longer names first."""
_OPENING = "\"'`*«„“”‘「『"
_CLOSING = dict(zip(_OPENING, "\"'`*»“””’」』", strict=True))
_CLOSERS = "(?: »|[\"'`*)»“”’」』]{0,3})"


class _Name(NamedTuple):
    """How one row calls a secret."""

    field: str
    """The field that has it."""
    glued: bool
    """It may be the end of a compound."""
    unspaced: bool
    """No blanks are written around it."""
    bare: bool
    """A value may follow with no verb between."""
    link: re.Pattern[str]
    """All that stands between the name and a value of which the sentence says that it is the value."""
    leads: re.Pattern[str]
    """A word of which what follows may be the value."""
    turned: re.Pattern[str]
    """All that stands between a value and the name that it is said to be."""


class _Told(NamedTuple):
    """``told.toml`` as patterns."""

    name: re.Pattern[str]
    """What a secret is called; its last group is a key of ``names``."""
    names: dict[str, _Name]
    gap: re.Pattern[str]
    """All that stands between name and value where nothing says that it is the value."""
    closing: re.Pattern[str]
    """A verb behind the value, or behind the name where the value comes first."""
    apposed: re.Pattern[str]
    """All that stands between a value and the name where no verb is said or it comes last."""
    alone: re.Pattern[str]
    """What may stand behind a number or a phrase that is a password: no unit and no noun that it counts or belongs to."""
    number: re.Pattern[str]
    """A number before the name, up to the name."""
    owned: re.Pattern[str]
    """The end of a sentence that tells a value before the name, from behind the name."""
    followed: re.Pattern[str]
    """A number right behind the name."""
    mine: re.Pattern[str]
    """What may stand before the name where a number follows it."""
    also: re.Pattern[str]
    """A word that says nothing beside the name or the verb, or that the value is new."""
    role: re.Pattern[str]
    """The end of a text up to a name as what the words behind it are to be: ``as the password``, ``als Kennwort``."""


@cache
def told_by() -> _Told:
    """How a secret is told, in every language of ``told.toml``."""
    rows: list[dict[str, Any]] = toml(files("sessionlens.redact").joinpath("told.toml"))["row"]

    def every(*fields: str, unspaced: bool = False) -> str:
        found = {
            one
            for row in rows
            if row.get("unspaced", False) == unspaced
            for field in fields
            for one in row.get(field, ())
        }
        return "|".join(sorted(found, key=lambda one: (-len(one), one)))

    @cache
    def pattern(text: str) -> re.Pattern[str]:
        return lazy(text, re.IGNORECASE)

    also = rf"(?:[ \t]{{1,2}}(?:{every('also')})(?!\w)|[ \t]{{0,2}}(?:{every('also', unspaced=True)})){{0,3}}"
    owner = rf"(?:[ \t]{{1,2}}(?:{every('of')})(?!\w)(?:[ \t][^\s:=,;!?]{{1,40}}){{0,4}}?)?"
    closing = rf"[ \t]{{1,2}}(?:{every('closing')})(?!\w)|[ \t]?(?:{every('closing', unspaced=True)})|[’'](?:d|t)[ıiuü]r\b"
    words, names = [], {}
    for number, row in enumerate(rows):
        verbs = "|".join([every("is"), *row.get("is_here", ())])
        link = pattern(
            rf"{also}{owner}(?:[ \t]{{0,2}}[:：→]|[ \t]{{1,2}}(?:=>?|->|—|–|-(?=[ \t]))"
            rf"|[ \t]{{1,2}}(?:{verbs})(?!\w)|[ \t]?(?:{every('is', unspaced=True)})){also}[ \t]{{0,2}}[:：]?[ \t]{{0,2}}"
        )
        turned = pattern(
            rf"{_CLOSERS},?[ ](?:{'|'.join([every('as'), *row.get('as_here', ())])}|—|–)(?:[ ][^\s.,;!?]{{1,20}}){{0,5}}[ ][^\s.,;!?]{{0,30}}"
            rf"|{_CLOSERS}[ ]?(?:{every('as', unspaced=True)})[^\d\n]{{0,12}}"
        )
        leads = pattern(rf"(?:{verbs}|{every('to')})|[—–=:→]|->|=>")
        for order, field in enumerate(_KINDS):
            if field in row:
                edge = "" if row.get("unspaced", False) else r"(?!\w)"
                words.append((order, -number, f"(?P<{field}_{number}>(?:{'|'.join(row[field])}){edge})"))
                names[f"{field}_{number}"] = _Name(
                    field,
                    row.get("glued", False),
                    row.get("unspaced", False),
                    row.get("bare", False),
                    link,
                    leads,
                    turned,
                )
    # The longer names first ("PIN kodu" before "PIN"): those of English, the first row, are the shortest.
    words.sort()
    saying = f"{every('is', 'is_here', 'also')}|here'?s|it'?s"
    # Of what stands between a value and its name, what is no verb as well.
    roles = "|".join(one for one in every("as").split("|") if one not in every("is").split("|"))
    systems = "sudo|root|admin|ssh|wifi|vpn"
    marks = r"[\"'`*]{0,3}"
    ends = r"[ \t]{0,2}(?:[.,;!?)）\"'`。，！।]|[\r\n]|\Z)"
    return _Told(
        pattern("|".join(word for *_, word in words)),
        names,
        pattern(rf"(?:['’]s)?{also}[ \t]{{0,2}}"),
        pattern(rf"{_CLOSERS}(?:{closing})"),
        pattern(rf"{_CLOSERS}(?:[ ][—–-])?{also}[ ]"),
        pattern(
            rf"{_CLOSERS}(?:[ \t]{{0,4}}(?:[.,;!?)）。，！।\r\n]|\Z)|[ \t]{{1,2}}(?:{every('of', 'and')})(?!\w)|{closing})"
        ),
        pattern(
            rf"(?P<value>\d{{4,12}}){marks}(?: {{1,2}}[-–—] {{1,2}}(?:(?:{saying})[ -]{{1,2}}){{0,5}}| {{1,2}}(?:(?:{saying})[ -]{{1,2}}){{1,5}}"
            rf"|[ ]{{0,2}}(?:{every('as', unspaced=True)})[^\d\n]{{0,8}}?)\Z"
        ),
        pattern(
            rf"(?:[ \t]{{1,2}}(?:{every('of', 'to')})(?!\w)[^\n]{{0,60}})?(?:[ \t]{{1,2}}(?:{systems}))?(?:{closing})?{ends}"
        ),
        pattern(
            rf"(?:[ \t]{{1,2}}(?:(?:{every('of')}) )?(?:{systems}|сервера|server))?[ \t]{{1,2}}{marks}(?P<value>\d{{4,12}})(?={marks}{ends})"
        ),
        pattern(rf"(?:^|[\n.!?:,;(\[])[\s>*\"'`#-]{{0,8}}(?:(?:{saying})[ \t-]{{1,2}}){{0,4}}\Z"),
        pattern(every("also")),
        pattern(
            rf"(?:^|\W)(?:{roles})[ ](?:(?:{every('also')})[ ]){{0,2}}(?:[^\W\d_]{{1,12}}[ -]){{0,2}}[^\W\d_]{{3,24}}\Z"
        ),
    )


def told(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """What a sentence tells: ``the password is …``, ``пароль …``, ``पासवर्ड … है``, ``… is the new token``."""
    stop = _STOP.search(text, end, end + 200)
    last = stop.start() if stop else min(len(text), end + 200)
    first = max(text.rfind("\n", max(0, start - 160), start) + 1, start - 160, 0)
    # Most sentences hold nothing that could be a secret; to know that is cheap.
    behind = _PROMISING.search(text, end, last) is not None or _MARKED.match(text, end, last) is not None
    before = _PROMISING.search(text, first, start) is not None
    below = None if stop is None or stop[0] != "\n" else _BELOW.match(text, last)
    if not (behind or before or below):
        return
    table = told_by()
    match = table.name.match(text, start)
    if match is None or match.lastgroup is None:
        return
    name = table.names[match.lastgroup]
    if not _begins(text, start, name):
        return
    one = None
    if name.field != "login":
        one = _said(text, match.end(), last, name) if behind else None
        if one is None and below is not None:
            one = _underneath(text, match.end(), last, name, below)
    if one is None and before:
        one = _turned(text, first, start, match.end(), name)
    if one is None and (behind or before) and name.field in ("password", "pin"):
        one = _number(text, start, match.end())
    if one is not None:
        yield one
        if one.start > start:
            yield from _beside(text, match.end(), last, name, one)


def _beside(text: str, at: int, stop: int, name: _Name, one: Found) -> Iterator[Found]:
    """What the same sentence says stood before a value, or took its place: ``from X to Y``, ``was X, I changed it to Y``."""
    kind = _KINDS[name.field]
    for value in islice(_values(text, at, stop, name), 2 * _NEAREST):
        if value.first < one.end and one.start < value.last:
            continue
        good = _mixed(value.text, kind) or (kind != "password" and _hard(value.text, 14))
        if not good or not _possible(value.text) or hash_like(value.text):
            continue
        between = text[one.end : value.first].rstrip(_OPENING + "(")
        lead = (between.split() or [""])[-1]
        if value.last <= one.start or (
            len(between) <= 12
            if name.unspaced
            else lead and (lead[-1] in ":：" or name.leads.fullmatch(lead) or told_by().also.fullmatch(lead))
        ):
            yield Found(value.first, value.last, kind, value.text)


_STOP = lazy(r"[.!?;](?=\s|\Z)|[\n。！？]")
_PROMISING = lazy(
    r"[0-9!#%&+^~$@A-Z-](?:(?<=\d)(?:[^\W\d]|-\w|\d{3})|(?<=[^\W\d]\d)|(?<=[^\W\d]-)\d|(?<=[^\W\d_]-)[^\W\d_]{3,40}-|(?<=[!#%&+^~$@])(?=\w)"
    r"|(?<=[A-Z])[a-z]{0,5}[A-Z][A-Za-z]{8})"
)
"""What some part of every value has that is no word: a digit, a mark, hyphens, capitals within. Begins with a set: fast."""
_MARKED = lazy(rf"[^\n(){{}}<>\[\]=;{_OPENING}]{{0,90}}[{_OPENING}]{{1,3}}[ ]?[^\W\d_]{{4}}")
"""From behind a name to a word within marks, with no code between."""
_BELOW = lazy(
    rf"\s{{0,40}}(?:```\w{{0,20}}\s{{1,40}})?[>*-]?[ ]?[{_OPENING}]{{0,3}}(?P<value>[^\s`\"<>]{{4,128}}?)[\"'`*»”]{{0,3}}[.,]?[ \t\r]{{0,8}}(?:\n|\Z)"
)
"""From the end of a line to that of the next one, which holds nothing but one word."""
_NEAREST = 4
"""How many words that may be secrets are looked at, on either side of a name."""
_WORDS = lazy(r"\S{4,200}")
"""Where blanks are written …"""
_PRINTABLE = lazy(r"[!-~]{4,200}")
"""… and where they are not: what is of another script than the sentence."""


def _begins(text: str, start: int, name: _Name) -> bool:
    """Whether a name stands for itself: no part of an identifier, of a path or, where words are no compounds, of a word."""
    mark = text[start - 1 : start]
    if mark == "-":
        return name.glued or _OF_SYSTEM.search(text, max(0, start - 12), start) is not None
    if mark and mark in "_.$\"'`/":
        return False
    if not mark.isalnum() or name.unspaced:
        return True
    # Of a compound: databaslösenordet, הסיסמה.
    around = text[max(0, start - 40) : start]
    rest = around.rstrip("".join({c for c in around if c.isalpha() or c == "-"}))
    return name.glued and not (rest and (rest[-1] in "_.$/" or rest[-1].isalnum()))


_OF_SYSTEM = lazy(r"(?:sudo|root|admin|ssh|db|wifi|wlan|vpn|user|server)-\Z", re.IGNORECASE)


class _Value(NamedTuple):
    """What may be a secret in a sentence."""

    first: int
    last: int
    text: str
    marks: str
    """What opens it."""


def _values(text: str, at: int, stop: int, name: _Name) -> Iterator[_Value]:
    """The words between two places that may be secrets, in order."""
    for word in (_PRINTABLE if name.unspaced else _WORDS).finditer(text, at, stop):
        if word[0][0] not in _OPENING and _PROMISING.search(text, *word.span()) is None:
            continue
        first = word.start()
        while first < word.end() - 1 and text[first] in _OPENING + "(:=":
            first += 1
        mark = text[first - 1 : first] if first > at else ""
        if mark.isspace() and text[first - 2] == "«":
            mark = "«"
        last = text.find(_CLOSING[mark], first, first + 200) if mark in _CLOSING else -1
        if last >= 0 and "\n" not in text[first:last]:
            last -= text[last - 1].isspace()
        else:
            last = _bare(text, first)[1]
            last = first + len(text[first:last].rstrip("?*)»”’"))
        value = _Value(first, last, text[first:last], mark if mark in _CLOSING else "")
        if len(value.text) >= 4 and (
            value.marks or value.text.isdigit() or strong(value.text) or _PHRASE.fullmatch(value.text)
        ):
            yield value


def _possible(value: str) -> bool:
    """Whether a word of a sentence may be a secret at all: no placeholder, no path, no piece of code, no measure."""
    return not (
        len(value) < 4
        or placeholder(value)
        or path_like(value)
        or value.casefold() in data().types
        or "(" in value
        or re.match(r"\w+\[", value)
        or _code(value)
        or any(c.isspace() for c in value)
        or LOG_ID.fullmatch(value)
        or _MEASURE.fullmatch(value)
        or _FORMAT.search(value)
        or (_WORD_LIKE.fullmatch(value) and _LABEL_STEMS.search(value))
    )


_MEASURE = lazy(
    r"(?:base|sha|md|utf-?|aes-?|rot|argon|bcrypt|scrypt|oauth|http)\d{1,3}(?:-?[^\W\d_]{2,20})?|\d{1,5}[-´’'][^\W\d_]{1,20}"
    r"|\d{1,5}(?:min|sec|hrs?|days?|bits?|bytes?|chars?)",
    re.IGNORECASE,
)
"""The name of an encoding or an algorithm, an amount with its unit."""
_FORMAT = lazy(r"%{1,2}0[Aa]|%-?[\d.]{0,4}[sdiuxX](?![0-9A-Za-z])")
"""A place in a format string, or its end of line."""


def _sure(text: str, value: _Value, name: _Name) -> bool:
    """Whether a value of which the sentence says that it is the secret is one: no word, unless within marks."""
    # A noun that follows is what a number counts, or what words with hyphens belong to.
    ends = told_by().alone.match(text, value.last) is not None
    if _phrase(value, name, ends=ends or min(map(len, value.text.split("-"))) >= 4):
        return True
    if not _possible(value.text):
        return False
    kind = _KINDS[name.field]
    if kind == "password" and value.text.isdigit():
        return len(value.text) <= 12 and ends
    if name.field == "password":
        # An ordinary word within marks is the password; in backquotes a short one is a name in the code.
        word = (
            value.text.isalpha() and value.text.islower() and (len(value.text) >= 6 or "`" not in value.marks)
        )
        return strong(value.text) or bool(value.marks and word)
    return (
        name.field != "pin"
        and strong(value.text, 6 if kind == "password" else 10)
        and not _WORD_LIKE.fullmatch(value.text)
    )


_PHRASE = lazy(r"[^\W\d_]{3,14}(?:-[^\W\d_]{3,14}){2,7}|[^\W\d_]{2,14}(?:-[^\W\d_]{2,14}){2,7}-\d{1,6}")
"""Words joined by hyphens. A short one is no preposition where a number ends them."""
_APART = lazy(r"[^\W\d_]{4,14}(?: [^\W\d_]{4,14}){3,7}")


_OF_WORDS = lazy(r"(?:phrase|frase|fraza|satz|zin)\Z", re.IGNORECASE)
"""The end of a name that says that the secret is of several words."""


def _phrase(value: _Value, name: _Name, *, ends: bool) -> bool:
    """Whether a value is a pass phrase: words joined by hyphens within marks or where the sentence ends, or apart within marks."""
    if name.field != "password" or _LABEL_STEMS.search(value.text):
        return False
    marked = value.marks not in ("", "`")
    if _APART.fullmatch(value.text):
        return marked and value.text.islower()
    return (marked or ends) and len(value.text) >= 16 and _PHRASE.fullmatch(value.text) is not None


def _mixed(value: str, kind: str) -> bool:
    """Whether a value has capitals, small letters and digits, or also marks, as no word has."""
    if not (re.search(r"[a-z]", value) and re.search(r"[A-Z]", value)):
        return False
    digits = sum(c.isdigit() for c in value)
    if kind != "password":
        return len(value) >= 14 and digits >= 3
    return (len(value) >= 8 and digits >= 2) or (
        len(value) >= 6 and digits > 0 and _MARK.search(value) is not None
    )


_MARK = lazy(r"[^\w\s./:,()\[\]{}<>\\-]")


def _said(text: str, at: int, stop: int, name: _Name) -> Found | None:
    """A value behind its name: the more the sentence says that it is the value, the less it must look like one."""
    table, kind = told_by(), _KINDS[name.field]
    for value in islice(_values(text, at, stop, name), _NEAREST):
        between = text[at : value.first].rstrip(_OPENING + "(")
        beside = table.gap.fullmatch(between) is not None and (name.unspaced or between[-1:] in (" ", "\t"))
        if name.link.fullmatch(between) or (beside and table.closing.match(text, value.last)):
            good = _sure(text, value, name)
        elif (
            beside
            and value.marks
            and _APART.fullmatch(value.text)
            and _OF_WORDS.search(text, max(0, at - 12), at)
        ):
            # No other word may be in blanks; of a pass phrase it is no message either.
            good = _phrase(value, name, ends=False)
        elif name.field == "pin" or not _possible(value.text) or "=" in value.text or hash_like(value.text):
            good = False
        elif beside:
            # Where no verb is said, this is how it is told: at the end of a sentence, and no name of a host or a version.
            ends = kind == "password" and _ENDS.match(text, value.last) is not None
            numbered = value.text[-1].isdigit()
            plain = (
                name.bare
                and _SIMPLE.fullmatch(value.text)
                and strong(value.text, 8)
                and not _WORD_LIKE.fullmatch(value.text)
            )
            good = (
                _mixed(value.text, kind)
                or (ends and bool(plain))
                or (value.marks != "`" and _phrase(value, name, ends=ends or numbered))
            )
        else:
            # With other words between, only what can be nothing but a secret.
            random = _mixed(value.text, kind) and _hard(value.text, 6)
            long = kind in ("token", "key") and _hard(value.text, 16)
            good = (
                (random or (long and name.leads.fullmatch(between.split()[-1]) is not None))
                and _NOUN.match(text, at) is None
                and (_leads(between.split(), name) or _asked(text, at, between))
            )
        if good:
            return Found(value.first, value.last, kind, value.text)
    return None


def _leads(words: list[str], name: _Name) -> bool:
    """Whether the words between a name and a value may lead from the one to the other."""
    return len(words) <= 8 and (
        (name.bare and len(words) <= 4)
        or any(word[-1] in ":：" or name.leads.fullmatch(word) for word in words)
    )


def _asked(text: str, at: int, between: str) -> bool:
    """Whether a name is what the next words are to be: ``als Kennwort nimmst du X``, ``as the password use X``."""
    before = text[max(0, at - 60) : at]
    return len(between.split()) <= 4 and told_by().role.search(before) is not None


def _underneath(text: str, at: int, stop: int, name: _Name, line: re.Match[str]) -> Found | None:
    """A value that stands on the next line alone: ``the password is:``, ``here is the password for web1:``."""
    between, kind = text[at:stop].rstrip(), _KINDS[name.field]
    value = _Value(*line.span("value"), line["value"], "")
    random = _mixed(value.text, kind) and _hard(value.text, 6)
    if name.link.fullmatch(between):
        good = _sure(text, value, name) and (
            random or value.text.isdigit() or _hard(value.text) or _phrase(value, name, ends=True)
        )
    else:
        colon = between.endswith((":", "："))
        good = colon and random and kind == "password" and len(between.split()) <= 8 and _possible(value.text)
    return Found(*line.span("value"), kind, value.text) if good else None


def _turned(text: str, first: int, start: int, end: int, name: _Name) -> Found | None:
    """``use … as the database password``, ``… is the new token``, ``… — мой пароль``."""
    if _NOUN.match(text, end) or (not name.unspaced and text[end : end + 1].isalnum()):
        return None
    table, kind = told_by(), _KINDS[name.field]
    ends = table.owned.match(text, end) is not None
    for value in [*_values(text, first, start, name)][: -_NEAREST - 1 : -1]:
        between = text[value.last : start]
        said = name.turned.fullmatch(between) is not None
        if not said and table.apposed.fullmatch(between):
            said = table.closing.match(text, end) is not None
            if not said and not (name.bare and ends):
                continue
        elif not said:
            continue
        # Where all of the sentence says it, capitals and digits are enough: "… and kestrelMoor5512 as the password."
        simple = said and ends and name.field == "password" and _mixed(value.text, kind)
        sure = (
            simple
            or _hard(value.text)
            or (kind == "password" and _mixed(value.text, kind) and _hard(value.text, 6))
        )
        if (sure and _possible(value.text)) or (said and _phrase(value, name, ends=ends)):
            return Found(value.first, value.last, kind, value.text)
    return None


def changed(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """A password that is another now, told apart from its name: ``my password was … but I changed it to …``."""
    plain = told_by().names[_PLAINEST]
    behind = _WORDS.search(text, end, min(len(text), end + 200))
    values = [
        *(_values(text, start, end, plain) if _PROMISING.search(text, start, end) else ()),
        *(_values(text, behind.start(), behind.end(), plain) if behind and behind.start() <= end + 4 else ()),
    ]
    values = [
        one for one in values if _mixed(one.text, "password") and _hard(one.text, 6) and _possible(one.text)
    ]
    if values and _spoken_of(text, max(0, start - _AROUND), start, end):
        for one in values:
            yield Found(one.first, one.last, "password", one.text)


def _spoken_of(text: str, first: int, start: int, end: int) -> bool:
    """Whether a password is named in the same paragraph before a place, or in the words there."""
    table = told_by()
    first = max(first, text.rfind("\n\n", first, start) + 2)
    for match in table.name.finditer(text, first, end):
        name = table.names[match.lastgroup or ""]
        if (
            name.field == "password"
            and _begins(text, match.start(), name)
            and not _NOUN.match(text, match.end())
        ):
            return True
    return False


_AROUND = 240
"""Characters before the words that say that a secret is another now in which its name counts."""
_PLAINEST = "password_0"
"""The name in English: written with blanks."""


def _number(text: str, start: int, end: int) -> Found | None:
    """A bare number beside the word: ``0523 is my sudo password``, ``0523 мій пароль``, ``sudo password 0523``."""
    table = told_by()
    first = max(0, start - 90)
    before = table.number.search(text, first, start)
    if before is not None:
        lead = text[max(0, before.start() - 20) : before.start()]
        if _LEAD_IN.search(lead) and table.owned.match(text, end):
            return Found(*before.span("value"), "password", before["value"])
        return None
    behind = table.followed.match(text, end)
    if behind is not None and table.mine.search(text, first, start):
        return Found(*behind.span("value"), "password", behind["value"])
    return None


_LEAD_IN = lazy(r"(?:^|[\n.!?:,;(\[])[\s>*\"'`#-]{0,8}\Z")
"""What may stand before a number that tells a password: the beginning of a line or of a sentence."""
_ENDS = lazy(r"[\"'`*»”’」』]{0,3}[ \t]{0,2}(?:[.,;!)）。，！।]|[\r\n]|\Z)")
_SIMPLE = lazy(r"(?=[^\d]{0,20}\d[^\d]{0,20}\d)[\w!#%&*+?^~$]{8,64}")


_VERSIONED = lazy(r"[A-Z]{1,12}[a-z]{0,12}-?\d{0,4}|[a-z]{1,16}-?\d{0,3}\w?")
_NOUN = lazy(
    r"[-_ ]?(?:hash|algorithm|manager|store|storage|policy|field|column|file|prompt|provider|type|format|encoder|encryption|key|name|"
    r"generator|hasher|scheme|backend|parameter|variable|env|limit|count|budget|url|endpoint|issuer|length)",
    re.IGNORECASE,
)  # fmt: skip


def _hard(value: str, least: int = 8) -> bool:
    """Whether a word in a sentence cannot be a name, a version, a path or a piece of code."""
    if len(value) < least or placeholder(value) or path_like(value) or _code(value) or hash_like(value):
        return False
    if LOG_ID.fullmatch(value) or _VERSIONED.fullmatch(value) or any(c in value for c in "()=<>{}[]/\\,"):
        return False
    if _WORD_LIKE.fullmatch(value) or re.match(r"v?\d+[.:-]\d", value):
        return False
    lower, upper = re.search(r"[a-z]", value), re.search(r"[A-Z]", value)
    digit, mark = re.search(r"\d", value), re.search(r"[^\w.:-]", value)
    if digit and ((lower and upper) or (mark and (lower or upper))):
        return True
    # One case of letters only: digits and letters change as at random, and more than a hash would hold.
    changes = re.findall(r"[a-z](?=\d)|\d(?=[a-z])|[A-Z](?=\d)|\d(?=[A-Z])", value)
    return value.isalnum() and len(changes) >= 3 and not re.fullmatch(r"[0-9a-fA-F]+", value)


_BOTH = lazy(
    r"[:=]?[ \t]{1,4}(?:(?:as|with|is|are|mit|als|avec|con|user|username)[ \t:]{1,3}){0,2}[\"'`]?(?P<user>[\w.@+-]{2,64})[\"'`]?"
    r"(?:[ \t]?[/|,:][ \t]?|[ \t](?:and|with|und|mit|et|y|con|avec)[ \t])[\"'`]?(?P<value>[^\s\"'`<>]{8,128})"
)


def both(text: str, start: int, end: int, command: bool) -> Iterator[Found]:
    """``login admin / …``, ``credentials: admin:…``."""
    match = _BOTH.match(text, end)
    if match is None:
        return
    first = match.start("value")
    value = match["value"].rstrip(".,:;)")
    value = value.rstrip("!?") if not _hard(value) else value
    if _hard(value):
        yield Found(first, first + len(value), "password", value)


CUTTERS: dict[str, Cutter] = {
    "label": label, "pair": pair, "told": told, "changed": changed, "exchange": exchange, "both": both,
    "listed": listed, "option": option, "command": command_line,
    "web": command_line, "piped": piped,
    "herestring": herestring, "userinfo": userinfo, "header": header, "bearer": bearer, "pem": pem, "pem64": pem64,
    "netrc": netrc, "pgpass": pgpass, "crypt": crypt, "scheme": scheme, "scram": scheme, "sql": sql,
    "directive": directive, "prefixed": prefixed, "hook": hook, "jwt": jwt, "bot": bot, "jwk": jwk,
}  # fmt: skip
"""Cutters by the last component of a rule's id in ``rules.yaml``."""

# --------------------------------------------------------------------------------------- the scanner's own rules

_NO_SECRET_RULE = lazy(
    r"curl-auth|\.private-key\Z|generic-credential-uri|connection-string|client-id|-url\b|-host\b|username|account-id|application-id|-domain\b|"
    r"app-id|plivo-auth-id|public-key|pub-key|access-id|publishable|posthog-project|-name\b|kubernetes-secret-yaml"
)  # fmt: skip
_CREDENTIAL_WORD = lazy(
    r"(?:key|token|secret|pass(?:word|wd)?|pwd|auth|credential|pat|bearer|api)s?[\w.-]{0,20}[\"'`\])]{0,2}\s{0,3}(?:[:=]|=>|:=|\s)\s{0,3}[\"'`]?\Z",
    re.IGNORECASE,
)  # fmt: skip
HASHES = lazy(r"[0-9a-fA-F]{8}-?[0-9a-fA-F-]{4,120}")


def vendor(text: str, start: int, end: int, rule: str, encoded: bool) -> Found | None:
    """Judge a hit of the scanner's own rules; ``None`` when it is no secret.

    These rules tie a vendor's word to a value near it; a commit hash, a checksum or a piece of base64 is one
    only beside a word that says credential.
    """
    value = text[start:end]
    if _NO_SECRET_RULE.search(rule) or PSEUDONYM.search(value) or placeholder(value) or path_like(value):
        return None
    if HASHES.fullmatch(value) and not _CREDENTIAL_WORD.search(text[max(0, start - 60) : start]):
        return None
    if LOG_ID.fullmatch(value) or (value.isalpha() and value.islower()):
        return None
    if not encoded:
        before, behind = text[max(0, start - 400) : start], text[end : end + 400]
        around = len(before) - len(before.rstrip(_BASE64_CHARACTERS))
        if around + len(behind) - len(behind.lstrip(_BASE64_CHARACTERS)) > 200:
            return None
    name = re.sub(
        r"\.\d+\Z", "", rule.rpartition("/")[2].removeprefix("betterleaks.").removeprefix("kingfisher.")
    )
    name = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")
    return Found(start, end, name or "token", value)
