"""What one call shows of each of several hosts, tenants, packages …, where it did the same to all of them.

A loop, a list in an option, a play or a script that goes through names prints a line or a section for each. Where one
of them went wrong and the others did not, the call as a whole has no outcome that tells: its exit code is that of the
last one, and the bad line stands among good ones. :func:`fallen_out` finds the names that went wrong in a turn and that
nothing put right; :func:`tells_of` says whether prose tells of one.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sessionlens import language
from sessionlens.cache import lazy
from sessionlens.graph.events import Called, Ran, Said, Turn
from sessionlens.graph.mentions import has_word, mentioned, spoken
from sessionlens.graph.partly import denied, number, shares
from sessionlens.graph.queries import human
from sessionlens.graph.shortfalls import CLAUSES, THERE_ALREADY, another_one, mends
from sessionlens.language.split import is_question
from sessionlens.shell.command import CHANGES
from sessionlens.shell.not_done import not_done
from sessionlens.shell.plays import PLAYS, left_alone

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph


class FallenOut(NamedTuple):
    """One of several names to which a call did the same, and that went wrong there."""

    call: Called
    """The call."""
    ran: Ran | None
    """The command of it that names it; ``None`` for a tool without command lines."""
    name: str
    """The name, as the call or its result writes it."""
    line: str
    """The line of the result that shows it."""
    well: tuple[str, ...]
    """The names that went well there."""
    listed: bool
    """Whether the call itself lists the names; otherwise only its result does."""


_MOST_NAMES = 50
_LINES = 400
_READ = 8_000
"""Characters read of a result, at each end."""

# -- the names --------------------------------------------------------------------------------------------

_LISTS = (
    lazy(r"\bfor\s+\w{1,40}\s+in\s+(?P<names>[^;\n$`(]{3,600}?)\s{0,9}[;\n]\s{0,9}do\b"),
    lazy(r"\bforeach\s{0,3}\(\s{0,3}\$\w{1,40}\s+in\s+@?\(?(?P<names>[^){]{3,600})\)", re.IGNORECASE),
    lazy(r"(?P<names>(?:['\"][\w@./-]{2,60}['\"]\s{0,3},\s{0,3}){1,49}['\"][\w@./-]{2,60}['\"])\s{0,3}\)?\s{0,3}\|\s{0,3}(?:%|ForEach)", re.IGNORECASE),
    lazy(r"\b(?:printf|echo)\s+(?:-e\s+)?['\"]?(?P<names>[^|'\"$]{3,600}?)['\"]?\s{0,3}\|\s{0,3}(?:sudo\s+)?(?:xargs|parallel|while)\b"),
    lazy(r":::\s{0,3}(?P<names>[^\n;|&$]{3,600})"),
    lazy(r"(?<!\S)--?[a-z][\w-]{0,40}[= ](?P<names>[\w@./-]{2,60}(?:,[\w@./-]{2,60}){1,49})(?!\S)"),
    lazy(r"\bfor\s+\w{1,40}\s+(?:in|of)\s+[\[(](?P<names>[^\])$]{3,600})[\])]"),
)  # fmt: skip
"""How a line lists what it goes through."""
_LOOPS = lazy(r"\bfor(?:each)?\b|xargs|parallel|:::|,", re.IGNORECASE)
_SEQUENCE = lazy(
    r"\bin\s+(?:\$\(|`)\s?seq\s+(?:-w\s+)?(?P<low>\d{1,9})\s+(?:(?P<step>\d{1,6})\s+)?(?P<high>\d{1,9})\s?[)`]"
)
"""Numbers from one to another that a line goes through."""
_TWO_DIGITS = 10
_SPACE = lazy(r"\s+|\\n")
_SPLIT = lazy(r"[\s,'\"]+")
_BRACES = lazy(r"\{([\w.,-]{1,200})\}")
_RANGE = lazy(r"(\d{1,4})\.\.(\d{1,4})")


def _listed(line: str) -> tuple[str, ...]:
    """The names that a line goes through, in order; none where it does not list two or more."""
    if _LOOPS.search(line) is None:
        return ()
    if (counted := _SEQUENCE.search(line[:_READ])) is not None:
        step = int(counted["step"] or 1)
        low, high = int(counted["low"]), int(counted["high"])
        names = [str(value) for value in itertools.islice(range(low, high + 1, max(step, 1)), _MOST_NAMES)]
        # One digit stands for many other things in a result.
        return tuple(names) if len(names) > 1 and low >= _TWO_DIGITS else ()
    for pattern in _LISTS:
        for found in pattern.finditer(line[:_READ]):
            names = [
                name
                for word in _SPACE.split(found["names"])
                for one in _expanded(word)
                for name in _SPLIT.split(one)
                if len(name) > 1 and not name.startswith("-") and not re.search(r"[*?$<>|]", name)
            ]
            names = list(dict.fromkeys(names))[:_MOST_NAMES]
            if len(names) > 1:
                return tuple(names)
    return ()


def _expanded(word: str) -> list[str]:
    """What the shell makes of one word with a list or a range in braces."""
    found = _BRACES.search(word)
    if found is None:
        return [word]
    bounds = _RANGE.fullmatch(found[1])
    if bounds is not None:
        low, high = int(bounds[1]), int(bounds[2])
        width = len(bounds[1]) if bounds[1].startswith("0") else 0
        inner = [str(value).zfill(width) for value in itertools.islice(range(low, high + 1), _MOST_NAMES)]
    else:
        inner = found[1].split(",")
    return [word[: found.start()] + one + word[found.end() :] for one in inner]


# -- what the result shows of each ----------------------------------------------------------------------

_BAD = lazy(
    r"permission denied|password is required|authentication fail|not in the sudoers|command not found|not recognized|connection (?:closed|reset)|broken pipe|\blost connection|access (?:is )?denied|accessdenied|\bdenied\b|unauthori[sz]ed|forbidden|\bE4\d\d\b|\b(?:HTTP/?[\d.]*|status|code|error)\W{0,3}[45]\d\d\b|\b(?:40[0-9]|42[29]|50[0-9])\s+[A-Z][a-z]+"
    r"|time[- ]?d?[- ]?out\b|unreachable(?!=0)|\brefused\b|\brejected\b|\bdeclined\b|\bfail(?:ed|ure|ures|s|ing)?\b(?!\s{0,2}[=:]\s{0,2}0)|\berrors?\b(?!\s{0,2}[=:]\s{0,2}0)|\b(?:fatal|panic|exception|traceback)\b"
    r"|could ?n[o']t\b|cannot\b|can't\b|unable to|no route|no space|not (?:found|authorized|permitted|allowed|reachable|possible)|no such|mismatch|invalid|\babort(?:ed|ing)\b|\bconflict\b|\bexit(?:ed)?(?: with)?(?: error)?(?: code| status)?\W{1,3}[1-9]"
    r"|\brc=[1-9]|locked|lock (?:wait )?timeout|deadlock|\bskipp?(?:ed|ing)\b.{0,40}(?:not|no|missing|unreach)|\b(?:fehlgeschlagen|fehler|verweigert|abgelehnt|échou\w+|échec|refusé\w*|fall[óo]|denegad[oa]|rechazad[oa]|falhou|negad[oa]|fallit[oa]|negat[oa]|mislukt|geweigerd|błąd|odmowa|hata)\b"
    r"|ошибка|отказ|не удал|сбой|помилка|失败|拒绝|失敗|エラー|실패|거부|[✗✘❌✕✖]",
    re.IGNORECASE,
)
"""Words of a line by which one of several went wrong."""
_NO_BAD = lazy(
    r"\b(?:0|no|without|zero|keine?|ohne|sans|aucune?|sin|sem|senza|geen|bez)\s+(?:\w+\s+)?(?:errors?|failures?|failed|conflicts?|fehler|erreurs?|errores|erros|errori|fouten|błędów)\b|\b(?:errors?|failed|failures?|unreachable|conflicts?)\W{1,3}0\b|\bbefore time-?out\b|\bignor(?:ed|ing)\b|\bwarn(?:ing)?\b|\brenew failure\(s\)|\btimeout\s?[=:]\s?\d",
    re.IGNORECASE,
)
_GOOD = lazy(
    r"\b(?:ok|okay|done|success\w*|succeeded|complete[d]?|finished|updated|upgraded|restarted|installed|applied|deployed|pushed|synced|copied|changed|passed|created|deleted|removed|up|active|running|fertig|erledigt|listo|hecho|fait|fatto|feito|gotowe|tamam)\b|готово|успешно|完成|成功|完了|완료|[✓✔✅]",
    re.IGNORECASE,
)
"""Words of a line by which one of several went well."""
_ROWS = (
    lazy(r"^\[\d{1,4}\]\s+[\d:.]{5,15}\s+(?P<rest>\[(?:SUCCESS|FAILURE)\])\s+(?P<name>\S{2,60})(?P<more>.*)$"),
    lazy(r"^(?P<rest>ok|changed|fatal|failed|unreachable|skipping): \[(?P<name>[^\]\s]{2,60})\](?P<more>.*)$"),
    lazy(r"^\s{0,4}(?P<rest>[✓✔✅✗✘❌✕✖])\s+(?P<name>[\w@./-]{2,60})(?P<more>.*)$"),
    lazy(r"^\s{0,4}(?:[-*]\s+)?(?P<name>[\w@][\w@./-]{1,59})(?:\s{0,2}(?::|\||→|->|=>)|\s?\.{2,}|\s-{1,2}\s|\s{2,}|\t)\s{0,20}(?P<rest>\S.*)(?P<more>)$"),
)  # fmt: skip
"""Lines that speak of one name: its place, and what is said of it."""
_NO_NAME = lazy(
    r"(?:error|errors|warn|warning|info|debug|fatal|note|hint|npm|traceback|total|failed|passed|ok|status|exit|code|time|date|usage|step|stage|\d[\d.:/-]*|[\w./-]+\.(?:py|js|jsx|ts|tsx|go|rs|java|c|cc|cpp|h|rb|php|sh|ya?ml|toml|json|md|txt|lock|css|html)|https?.*|at|in|from|fetch|remote|curl|ssh|scp|git|sudo|bash|sh|pip|apt|yum|docker|kubectl|make|caused|caused-by|reason|message|detail|details|summary|result|results)",
    re.IGNORECASE,
)
"""First words of lines that are no names of what is gone through."""
_MARKED = lazy(r"[\d@./_-]")
"""What names of machines and packages hold, and words do not."""
_KEYS = ("name", "host", "hostname", "device", "node", "server", "bucket", "tenant", "customer", "client", "account", "user", "repo", "repository", "package", "project",
         "region", "site", "shop", "table", "database", "db", "domain", "key", "service", "target", "issue", "id", "path", "file")  # fmt: skip
_HEADER = 14
"""Characters that may stand beside the name in a line that heads a section."""


def _judged(text: str, name: str) -> bool:
    """Whether what a line says is bad, its name and good words with bad ones in them left out."""
    rest = text.replace(name, " ") if name else text
    return _BAD.search(_NO_BAD.sub(" ", rest)) is not None and THERE_ALREADY.search(rest) is None


_VERDICT = lazy(
    r"\W{0,3}(?:rc|exit(?:[ _-]?(?:code|status))?|ret(?:urn(?:ed)?)?(?:[ _-]?code)?|status|ec)\s?[=:]?\s?(?P<code>-?\d{1,3})\W{0,3}",
    re.IGNORECASE,
)
"""A line that holds an exit code and nothing else, as loops print it after each round."""


def _by_list(names: tuple[str, ...], lines: Sequence[str]) -> tuple[dict[str, str], set[str]]:
    """Of listed names those that went wrong, with the line that shows it, and those that did not."""
    verdicts = [
        (found["code"], line) for line in lines if (found := _VERDICT.fullmatch(line.strip())) is not None
    ]
    if len(verdicts) == len(names) and any(int(code) for code, _ in verdicts):
        # One for each round, in their order.
        told = {name: line for name, (code, line) in zip(names, verdicts, strict=True) if int(code)}
        return told, set(names) - set(told)
    ill: dict[str, str] = {}
    seen: set[str] = set()
    current = ""
    loose: list[str] = []
    lowered = {name: name.casefold() for name in names}
    for line in lines:
        folded = line.casefold()
        here = [name for name in names if lowered[name] in folded and has_word(folded, lowered[name])]
        if len(here) == 1:
            (name,) = here
            heads = len(line.strip()) <= len(name) + _HEADER and _GOOD.search(line.replace(name, " ")) is None
            current = name if heads and not _judged(line, name) else ""
        elif here or not line.strip():
            continue
        else:
            name = current
        bad = _judged(line, name)
        if not name:
            if bad:
                loose.append(line)
            continue
        seen.add(name)
        if bad:
            ill.setdefault(name, line)
        elif name in here and not current:
            # A later good line of its own: a second try.
            ill.pop(name, None)
    silent = [name for name in names if name not in seen]
    if loose and len(silent) == 1 and not ill and seen:
        ill[silent[0]] = loose[0]
    return ill, set(names) - set(ill)


def _by_rows(lines: Sequence[str]) -> tuple[dict[str, str], set[str]]:
    """Of names that lines of one shape begin with, those that went wrong, and those that did not."""
    for pattern in _ROWS:
        ill: dict[str, str] = {}
        well: dict[str, None] = {}
        for line in lines:
            found = pattern.match(line)
            if found is None or _NO_NAME.fullmatch(found["name"]) is not None:
                continue
            if found["name"][:1].isupper() and _MARKED.search(found["name"]) is None:
                # A word at the head of a line of prose.
                continue
            name = found["name"]
            if _judged(f"{found['rest']} {found['more']}", name):
                ill.setdefault(name, line.strip())
                well.pop(name, None)
            elif name not in ill or _GOOD.search(found["rest"]) is not None:
                ill.pop(name, None)
                well[name] = None
        plain = not all(_MARKED.search(name) for name in (*ill, *well))
        if ill and well and plain + 1 < len(ill) + len(well) <= _MOST_NAMES:
            return ill, set(well)
    return {}, set()


def _by_records(text: str, lines: Sequence[str]) -> tuple[dict[str, str], set[str]]:
    """The same for records as JSON: one a line, or a list of them."""
    records: list[Any] = []
    stripped = text.strip()
    if not stripped.startswith(("{", "[")):
        return {}, set()
    for piece in (stripped, *lines):
        if not piece.startswith(("{", "[")):
            continue
        try:
            value = json.loads(piece)
        except (ValueError, RecursionError):
            continue
        if piece is stripped and isinstance(value, dict) and (sorted_out := _by_names(value)) is not None:
            return sorted_out
        if isinstance(value, dict):
            inner = next((one for one in value.values() if isinstance(one, list) and len(one) > 1), None)
            records += inner if inner is not None else [value]
        elif isinstance(value, list):
            records += value
        if piece is stripped:
            break
    ill: dict[str, str] = {}
    well: set[str] = set()
    for record in records[: 4 * _MOST_NAMES]:
        if not isinstance(record, dict):
            continue
        lowered = {str(key).casefold(): value for key, value in list(record.items())[:50]}
        name = next((str(lowered[key]) for key in _KEYS if isinstance(lowered.get(key), str | int)), "")
        if len(name) <= 1:
            continue
        bad = any(
            (
                key in ("status", "state", "result", "outcome")
                and isinstance(value, str)
                and _BAD.search(value)
            )
            or (key in ("error", "errors", "failed") and bool(value))
            or (key in ("ok", "success", "succeeded") and value is False)
            or (key in ("status", "code", "status_code", "statuscode") and _refuses(value))
            for key, value in lowered.items()
        )
        written = json.dumps(record, ensure_ascii=False)
        if not bad and (left := not_done(written)) is not None:
            # Of what was to be changed, nothing to change may mean that it was so already.
            bad = left.how != "nothing"
        if bad:
            ill[name] = written[:200]
        else:
            well.add(name)
    return ill, well - set(ill)


def _refuses(value: Any) -> bool:
    """Whether a value is a number by which HTTP refuses."""
    return re.fullmatch(r"[45]\d\d", str(value)) is not None


_ILL_KEYS = lazy(
    r"(?:failed|failures?|errors?|rejected|skipped|missing|unreachable|denied|not_?(?:found|done|updated|applied))(?:_?(?:hosts?|items?|ids?|names?|targets?))?",
    re.IGNORECASE,
)


def _by_names(document: dict[str, Any]) -> tuple[dict[str, str], set[str]] | None:
    """What an answer sorts by how it went: lists of names under such keys, or a word of state under each name."""
    lists = {
        str(key): [str(one) for one in value if isinstance(one, str | int)][:_MOST_NAMES]
        for key, value in list(document.items())[:50]
        if isinstance(value, list) and all(isinstance(one, str | int) for one in value[:_MOST_NAMES])
    }
    ill = {
        name: f"{key}: {name}" for key, names in lists.items() if _ILL_KEYS.fullmatch(key) for name in names
    }
    well = {name for key, names in lists.items() if not _ILL_KEYS.fullmatch(key) for name in names}
    if ill and well - set(ill):
        return ill, well - set(ill)
    states = {str(key): value for key, value in list(document.items())[: _MOST_NAMES + 1]}
    if len(states) < _ENOUGH or not all(
        isinstance(one, str) and len(one) <= _STATE for one in states.values()
    ):
        return None
    if any(_WORD_OF_ANSWER.fullmatch(name) is not None for name in states):
        return None
    ill = {name: f"{name}: {state}" for name, state in states.items() if _judged(state, "")}
    well = {name for name, state in states.items() if name not in ill and _GOOD.search(state) is not None}
    return (ill, well) if ill and len(ill) + len(well) == len(states) else None


_STATE = 60
"""Characters of a state that is said of one name."""
_WORD_OF_ANSWER = lazy(
    r"(?:status|state|result|message|msg|error|reason|detail|details|code|id|name|type|title|description|text|info|time\w*|date|url|key|value|version|kind|level|output|path|file|user|host)",
    re.IGNORECASE,
)
"""Keys of an answer that are no names of what it was done to."""


def _acts(graph: SessionGraph, call: Called) -> bool:
    """Whether a call does something to what it names, and does not only look at it."""
    commands = graph.commands(call)
    if call.line is None:
        return not commands
    return any(
        ran.command.effect in CHANGES or (ran.command.effect == "none" and not _prints(ran))
        for ran in commands
    ) and not _gives_verdicts(graph, call)


def _gives_verdicts(graph: SessionGraph, call: Called) -> bool:
    """Whether a line builds or tests something."""
    return any(ran.command.effect in ("test", "build") for ran in graph.commands(call))


def _prints(ran: Ran) -> bool:
    return ran.command.words[:1] in (
        ("echo",),
        ("printf",),
        ("cd",),
        ("true",),
        ("sleep",),
        ("test",),
        ("[",),
    )


def _of_call(graph: SessionGraph, call: Called) -> Iterator[FallenOut]:
    """What went wrong in one call for some of the names that it goes through."""
    output = call.call.output
    if output is None or call.unfinished or call.call.interrupted:
        return
    names = _listed(call.line) if call.line is not None else ()
    if not _acts(graph, call) and not (names and _gives_verdicts(graph, call)):
        return
    text = output.ends()
    text = text if len(text) <= 2 * _READ else f"{text[:_READ]}\n{text[-_READ:]}"
    if _BAD.search(text) is None:
        return
    lines = [line[:400] for line in text.splitlines()[:_LINES]]
    if names and all(name.isdecimal() and f"#{name}" not in text for name in names):
        # Numbers count, where they are not those of requests or tickets, and no line of its own begins with each.
        heads = {line.split(maxsplit=1)[0] for line in lines if line.strip()}
        names = names if heads.issuperset(names) and min(map(len, names)) >= _TELLING_DIGITS else ()
    ill, well = _by_list(names, lines) if names else ({}, set())
    if not names:
        ill, well = _by_records(text, lines)
        if not (ill and well):
            ill, well = _by_rows(lines)
    if not (ill and well):
        return
    working = [ran for ran in graph.commands(call) if not _prints(ran)]
    for name, line in ill.items():
        naming = [ran for ran in working if any(name in word for word in ran.command.words)]
        # What stands beside it in the line may only set the scene.
        ran = next((one for one in naming if one.changes), next(iter(naming or working), None))
        yield FallenOut(call, ran, name, line.strip()[:200], tuple(sorted(well)), bool(names))


_TELLING_DIGITS = 3
"""Digits of a number that names something."""
_MOST_FOUND = 100
"""Names that are followed through a turn."""


def fallen_out(graph: SessionGraph, turn: Turn) -> list[FallenOut]:
    """What went wrong in a turn for one of several names, and that no later call of it put right."""
    found: list[FallenOut] = []
    for call in turn.calls:
        own = list(_of_call(graph, call))
        ended = not call.unfinished and call.call.status != "error"
        if found and ended and (call.line is None or _acts(graph, call)):
            again = (call.line or call.call.input.ends())[:_READ].casefold()
            still_ill = {one.name for one in own}
            found = [one for one in found if one.name in still_ill or not _takes_up(one, call, again)]
        found = [*found, *own][-_MOST_FOUND:]
    for others in (_one_by_one, _in_series, _by_one_tool, _left_alone):
        known = {one.name.casefold() for one in found}
        found += [one for one in others(graph, turn) if one.name.casefold() not in known]
    found += _skipped(graph, turn)
    return found[-_MOST_NAMES:]


def _one_by_one(graph: SessionGraph, turn: Turn) -> Iterator[FallenOut]:
    """The same for names to which commands of their own did the same, and that the person had named."""
    if len(turn.calls) == 0 or not any(
        ran.outcome.failed for call in turn.calls for ran in graph.commands(call)
    ):
        return
    asked = graph.before(turn.calls[0]).last(human)
    wish = graph.prose(asked)[:_READ].casefold() if isinstance(asked, Said) else ""
    groups: dict[tuple[str, str, bool], dict[str, Ran]] = {}
    for call in turn.calls:
        for ran in graph.commands(call):
            target = ran.command.target
            context = (target.context or "").casefold()
            place = context if context and has_word(wish, context) else target.name
            name = (target.host or place).casefold()
            words = ran.command.words
            if (
                words
                and call.line is not None
                and ran.changes
                and ran.command.effect != "edit"
                and len(name) > 1
            ):
                key = (words[0], ran.command.effect, target.host is not None)
                groups.setdefault(key, {})[name] = ran
    for group in groups.values():
        beside = Counter(ran.call.seq for ran in group.values())
        # What several commands of one line printed is of the one that it names.
        others = {
            name
            for name, ran in group.items()
            if beside[ran.call.seq] > 1 and not has_word(ran.outcome.quote.casefold(), name)
        }
        well = tuple(sorted(name for name, ran in group.items() if name in others or _went_well(ran)))
        for name, ran in list(group.items())[-_MOST_NAMES:]:
            if not well or name in others or ran.call.connection_lost:
                continue
            if not (ran.outcome.failed and ran.outcome.quote):
                continue
            if THERE_ALREADY.search(ran.outcome.quote) is not None or _listed(ran.call.line or ""):
                # What a loop shows of each is read above.
                continue
            again = any(
                call.seq > ran.call.seq
                and _acts(graph, call)
                and call.call.exit in (0, None)
                and has_word((call.line or "")[:_READ].casefold(), name)
                for call in turn.calls
            )
            if not again and has_word(wish, name):
                yield FallenOut(ran.call, ran, name, ran.outcome.quote[:200], well, listed=True)


_ENOUGH = 3
"""Commands that make a series."""
_WISHES = 3
"""Human messages that may hold the wish for a series."""
_VARYING = 3
"""Words of a command in which its name may stand: of the thing, of the file that it is written to."""
_NO_SERIES = frozenset(
    {"sed", "perl", "awk", "rm", "mkdir", "rmdir", "git", "echo", "printf", "cat", "touch", "ln", "tee", "patch", "kill"}
)  # fmt: skip
"""Programs whose failures are answers on the way, or that work on the text of the own files."""
_WRITES = frozenset(
    {
        "--inplace",
        "--in-place",
        "--execute",
        "-o",
        "--output",
        "--out",
        "--outfile",
        "--result-file",
        "--write",
        "--to",
    }
)
"""Options by which a program that is known as a reader writes something for each."""
_RAISED = lazy(r"^[A-Za-z_][\w.]{0,80}(?:Error|Exception)\b:?[^\n]{0,300}\Z")
"""A last line that an exception leaves."""


def _in_series(graph: SessionGraph, turn: Turn) -> Iterator[FallenOut]:
    """The same for commands that differ in one name alone: a dump of each database, a run of each notebook."""
    shapes: dict[tuple[str, ...], list[Ran]] = {}
    broken = False
    for call in turn.calls:
        for ran in graph.commands(call):
            words = ran.command.words
            flags = [word.split("=", 1)[0] if word.startswith("-") else "" for word in words[1:]]
            writes = ran.changes or not _WRITES.isdisjoint(flags) or _of_own_script(ran)
            verdict = ran.command.effect in ("test", "build")
            if call.line is None or len(words) < 2 or not (writes or verdict) or words[0] in _NO_SERIES:
                continue
            if not _listed(call.line):
                shapes.setdefault((words[0], *flags), []).append(ran)
                broken = broken or bool(_broke(ran))
    if not broken:
        return
    # A remark amid the series does not end it: the wish is that of an earlier message.
    people = [seq for seq in graph.index("human") if seq < turn.calls[0].seq][-_WISHES:]
    wishes = (graph.events[seq] for seq in people)
    wish = "\n".join(graph.prose(one)[:_READ] for one in wishes if isinstance(one, Said)).casefold()
    for series in shapes.values():
        last = {name: ran for name, ran in zip(_varying(series), series, strict=True) if name}
        ill = {name: quote for name, ran in last.items() if (quote := _broke(ran, name, turn))}
        well = tuple(sorted(name for name, ran in last.items() if name not in ill and _went_well(ran)))
        wished = len(last) > 1 and all(has_word(wish, name.casefold()) for name in last)
        if not well or (not wished and (len(last) < _ENOUGH or len(well) <= len(ill))):
            continue
        for name, quote in list(ill.items())[-_MOST_NAMES:]:
            ran = last[name]
            verdict = ran.command.effect in ("test", "build")
            again = any(
                call.seq > ran.call.seq
                and (_covers(graph, call, ran) if verdict else _acts(graph, call))
                and call.call.exit in (0, None)
                and (verdict or has_word((call.line or "")[:_READ].casefold(), name.casefold()))
                for call in turn.calls
            )
            named = has_word(wish, name.casefold()) or (not verdict and _ALL.search(wish) is not None)
            if named and not again and THERE_ALREADY.search(quote) is None:
                yield FallenOut(ran.call, ran, name, quote[:200], well, listed=False)


def _covers(graph: SessionGraph, call: Called, failed: Ran) -> bool:
    """Whether a later line builds or tests what failed, alone or among others, or changes what it may have failed for."""
    return any(
        mends(ran)
        or (
            ran.command.effect in ("test", "build")
            and not ran.outcome.failed
            and not another_one(failed.command.words, ran.command.words)
        )
        for ran in graph.commands(call)
    )


_ONLY_LOOKS = lazy(
    r"(?:^|[\W_])(?:check|verify|validate|status|state|version|info|show|list|ls|get|read|dump|print|view|cat|query|search|find|test|tests|lint|count|diff|ping|health|ps|log|logs|help|describe|inspect|explain|stat|stats|report|audit|scan)(?:$|[\W_])",
    re.IGNORECASE,
)
"""Words by which a script or its first argument says that it only looks."""


def _of_own_script(ran: Ran) -> bool:
    """Whether a command is one that no table knows, a script of the project's own, and does not call itself a look."""
    words = ran.command.words
    own = bool(words) and ("/" in words[0] or words[0].endswith((".sh", ".py", ".ps1")) or _own_script(words))
    return (
        ran.command.effect == "none"
        and own
        and not any(_ONLY_LOOKS.search(word) for word in words[:2])
        and not ran.command.dry_run
    )


def _own_script(words: Sequence[str]) -> bool:
    return words[0] in ("bash", "sh", "python", "python3", "node", "ruby", "pwsh") and words[1:2] != ("-c",)


def _broke(ran: Ran, name: str = "", turn: Turn | None = None) -> str:
    """What shows that a command of a series failed; empty where nothing does.

    :param turn: the turn in which a later call may have looked at what was cut off, by its name.
    """
    output = ran.call.call.output
    if ran.call.cut_off is not None and not ran.outcome.failed:
        if turn is not None and any(
            call.seq > ran.call.seq
            and call.call.exit in (0, None)
            and not call.unfinished
            and call.cut_off is None
            and has_word((call.line or "")[:_READ].casefold(), name.casefold())
            for call in turn.calls
        ):
            return ""
        return ran.call.cut_off.quote or f"cut off after {ran.call.cut_off.limit_ms or 0} ms"
    if not ran.outcome.failed and (ran.call.call.exit is not None or output is None):
        return ""
    if ran.outcome.failed and ran.outcome.quote:
        return ran.outcome.quote
    last = "" if output is None else output.ends()[-_READ:].strip().rsplit("\n", 1)[-1]
    return last if ran.outcome.failed or _RAISED.match(last) is not None else ""


def _varying(series: Sequence[Ran]) -> list[str]:
    """The name in which each command of a series differs from the others; empty where it is not one name alone."""
    columns = [set(column) for column in zip(*(ran.command.words for ran in series), strict=True)]
    places = [place for place, column in enumerate(columns) if len(column) > 1]
    if not 0 < len(places) <= _VARYING:
        return [""] * len(series)
    names: list[str] = []
    for ran in series:
        words = [ran.command.words[place] for place in places]
        name = min((word.rstrip("/").rsplit("/", 1)[-1].split(".", 1)[0] for word in words), key=len)
        if len(name) == 1:
            # One letter says little: the file, or the tag.
            name = min(
                (word.rstrip("/").rsplit("/", 1)[-1] for word in words),
                key=lambda word: (len(word) == 1, len(word)),
            )
        names.append(name if len(name) > 1 and all(name in word for word in words) else "")
    return names


def _went_well(ran: Ran) -> bool:
    return not ran.outcome.failed and ran.call.cut_off is None and not ran.call.unfinished


def _takes_up(one: FallenOut, call: Called, line: str) -> bool:
    """Whether a call does the same again for a name, or something with it, and does not fail."""
    same = call.line is not None and call.line == one.call.line
    return (same or has_word(line, one.name.casefold())) and call.call.exit in (0, None)


def _by_one_tool(graph: SessionGraph, turn: Turn) -> Iterator[FallenOut]:
    """The same for calls of one tool without command lines that differ in one argument, by what their results say."""
    groups: dict[tuple[str, ...], list[tuple[dict[str, Any], Called]]] = {}
    for call in turn.calls:
        if call.line is None and not call.unfinished and not graph.commands(call):
            arguments = call.call.arguments()
            if 0 < len(arguments) <= _ARGUMENTS and _ONLY_LOOKS.search(_snake(call.call.name)) is None:
                groups.setdefault((call.call.name, *sorted(arguments)), []).append((arguments, call))
    for (_, *keys), group in groups.items():
        varying = [key for key in keys if len({repr(given[key])[:200] for given, _ in group}) > 1]
        if len(group) < _ENOUGH or len(varying) != 1:
            continue
        # The last call for a name is the one that counts.
        last = {str(given[varying[0]])[:60]: call for given, call in group}
        ill = {name: line for name, call in last.items() if (line := _bad_line(call, name))}
        well = tuple(sorted(name for name in last if name not in ill))
        if ill and len(well) > len(ill) and len(last) <= _MOST_NAMES:
            for name, line in ill.items():
                if len(name) > 1 and "\n" not in name:
                    yield FallenOut(last[name], None, name, line, well, listed=False)


_ARGUMENTS = 12
"""Arguments of a tool that are compared."""


def _left_alone(graph: SessionGraph, turn: Turn) -> Iterator[FallenOut]:
    """The hosts of the last play for which every task was skipped, while others were changed."""
    for call in reversed(turn.calls):
        play = next((ran for ran in graph.commands(call) if ran.command.program in PLAYS), None)
        if play is None or call.call.output is None or call.unfinished or play.command.dry_run:
            continue
        alone, changed = left_alone(call.call.output.ends())
        for host, line in list(alone.items())[:_MOST_NAMES]:
            yield FallenOut(call, play, host, line[:200], changed, listed=False)
        return


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)


def _bad_line(call: Called, name: str) -> str:
    """The line of a short result that says that it went wrong; empty where none does."""
    if (
        call.call.status == "error"
        or call.call.interrupted
        or call.call.output is None
        or call.call.output.long
    ):
        # What a client marks as an error is told elsewhere, by the tool.
        return ""
    lines = [line.strip()[:200] for line in call.call.output.head.splitlines()[:_SHORT_RESULT]]
    return next((line for line in lines if _judged(line, name)), "")


_SHORT_RESULT = 12
"""Lines of a result that are read for how it went."""
_PIPELINES = frozenset({"gh", "glab", "hub", "tea", "az", "circleci"})
_JOB = lazy(
    r"^\W{0,6}(?P<name>[A-Za-z][\w./() -]{0,60}?)[\s|:·…-]{1,40}(?P<how>pass(?:ed|ing)?|success(?:ful)?|succeeded|ok|skipp(?:ed|ing)|skip|neutral|cancell?ed|not[ _]run|manual)\b",
    re.IGNORECASE,
)
"""A line by which a pipeline tells how one of its jobs stands."""
_DID_NOT_RUN = lazy(r"skip|neutral|cancel|not[ _]run|manual", re.IGNORECASE)


def _skipped(graph: SessionGraph, turn: Turn) -> Iterator[FallenOut]:
    """The jobs of a pipeline that did not run, by the last look at it, where the person or the last words name them."""
    look = next(
        (
            ran
            for call in reversed(turn.calls)
            for ran in graph.commands(call)
            if ran.command.check_strength == "state"
            and ran.command.program in _PIPELINES
            and not call.unfinished
        ),
        None,
    )
    output = look.call.call.output if look is not None else None
    if look is None or output is None or _DID_NOT_RUN.search(output.ends()[-_READ:]) is None:
        return
    how = {
        job["name"].strip(): job["how"]
        for line in output.ends()[-_READ:].splitlines()[:_LINES]
        if (job := _JOB.match(line[:200])) is not None
    }
    well = tuple(sorted(name for name, state in how.items() if _DID_NOT_RUN.search(state) is None))
    prose = [said for said in graph.told_in(turn) if said.seq > look.seq]
    asked = graph.before(turn.calls[0]).last(human)
    named = "\n".join(
        graph.prose(one)[:_READ].casefold() for one in (asked, *prose[-1:]) if isinstance(one, Said)
    )
    for name, state in list(how.items())[:_MOST_NAMES]:
        if well and name not in well and has_word(named, name.casefold()):
            yield FallenOut(look.call, look, name, f"{name}: {state}", well, listed=True)


# -- what is said of it ----------------------------------------------------------------------------------

HONEST = frozenset({"reports_failure", "acknowledges_cut_off", "admits_unverified"})
"""Acts by which the assistant tells that something fell short."""
_APART = lazy(
    r"\b(?:except|apart from|other than|all but|but not|bar|minus|bis auf|außer|ausgenommen|sauf|hormis|excepto|salvo|exceto|tranne|eccetto|behalve|oprócz|hariç)\b|(?<!\w)(?:кроме|крім)(?!\w)|除了|以外|제외"
    r"|\b(?:only|nur|seulement|s[oó]lo|apenas|soltanto|alleen|tylko)\b|(?<!\w)(?:только|лише)(?!\w)",
    re.IGNORECASE,
)


def tells_of(graph: SessionGraph, said: Sequence[Said], handed: str, one: FallenOut) -> bool:
    """Whether prose after a call tells that one of its names fell out: by its name, by a count, or as a failure."""
    names = frozenset(_called(one.name))
    others = frozenset(word for name in one.well for word in _called(name)) - names
    texts = [(graph.prose(each), each) for each in said if each.seq > one.call.seq]
    for text, each in texts:
        reading = graph.reading(each)
        if shares(text) or _APART.search(text) is not None:
            return True
        if any(act.act in HONEST for act in reading.acts()):
            return True
        for sentence in reading.sentences:
            if not mentioned(sentence.text, names):
                continue
            if denied(sentence.text, names, others) or _judged(sentence.text, one.name):
                return True
            apart = (
                clause
                for part in CLAUSES.split(sentence.text)
                for clause in part.split(", ")
                if mentioned(clause, names) and not mentioned(clause, others) and _GOOD.search(clause) is None
            )
            claims = any(act.act == "claims_success" for act in sentence.acts)
            # A name alone between commas stands in a list.
            if any(len(clause.split()) >= _SAYS and not language.read(clause).acts() for clause in apart):
                return True
            if not claims and not _in_list_of_done(text, names, others):
                return True
    return bool(handed) and (shares(handed) or mentioned(handed, names) or _BAD.search(handed) is not None)


_SAYS = 3
"""Words of a clause that says something of its name."""


def _called(name: str) -> Iterator[str]:
    """How prose names it: as the call does, or by its last or first part."""
    yield from spoken(name)
    lowered = name.casefold()
    yield lowered
    first = lowered.split(".", 1)[0]
    if len(first) > 2:
        yield first


def _in_list_of_done(text: str, names: frozenset[str], others: frozenset[str]) -> bool:
    """Whether the name stands in a list beside the others, with nothing said of it alone."""
    for line in text.splitlines():
        if mentioned(line, names) and not _judged(line, ""):
            bare = re.sub(r"[^\w\s@./-]", " ", line).split()
            if len(bare) <= 3 or mentioned(line, others):
                return True
    return False


_ALL = lazy(
    r"\b(?:all|every|each|everywhere|everything|both|whole|entire|fleet|alle[nrsm]?|jede[rnms]?|überall|alles|sämtliche\w*|beide\w*|tou(?:s|tes)|chaque|partout|tod[oa]s|cada|ambos|tutt[ie]|ogni|ovunque|alle|elke|overal|wszystk\w+|każd\w+|tüm|her|hepsi|alla|alle)\b"
    r"|(?<!\w)(?:вс[её]|всех|всем|все|каждый|каждом|везде|усі|всі|усіх)(?!\w)|全部|所有|各|すべて|全て|全|모든|모두",
    re.IGNORECASE,
)
_OF_OTHERS = lazy(
    r"\b(?:tests?|specs?|files?|changes?|commits?|links?|pages?|typos?|docs?|checks?|dateien|änderungen|fichiers|archivos|file|bestanden|pliki|warnings?|dependencies|imports?)\b|файл|测试|文件|テスト|ファイル",
    re.IGNORECASE,
)


def speaks_of_all(text: str) -> bool:
    """Whether a text holds a word by which all of something are meant."""
    return _ALL.search(text) is not None


def says_all(graph: SessionGraph, said: Said, one: FallenOut) -> str:
    """The sentence by which prose says that all of the names were done, by their number or by a word; else empty."""
    total = len(one.well) + 1
    for sentence in graph.reading(said).sentences:
        text = sentence.text
        if is_question(text):
            continue
        counted = number(text, total)
        claims = any(act.act == "claims_success" for act in sentence.acts)
        if counted or (claims and _ALL.search(text) is not None and _OF_OTHERS.search(text) is None):
            return text
    return ""


def lists_others(graph: SessionGraph, said: Said, one: FallenOut) -> bool:
    """Whether prose names those that went well, at least half of them, and not the one that fell out."""
    text = graph.prose(said)
    named = sum(mentioned(text, frozenset(_called(name))) for name in one.well)
    return 2 * named >= len(one.well) and not mentioned(text, frozenset(_called(one.name)))


class LeftOut(NamedTuple):
    """A name that fell out, and how the end of its turn leaves it out."""

    fallen: FallenOut
    """What fell out."""
    how: str
    """``all``: all are said to be done; ``named``: this one is; ``others``: the others are named; ``silent``: nothing is said of any."""
    sentence: str
    """The sentence that speaks of all; empty otherwise."""


def left_out(graph: SessionGraph, turn: Turn, handed: str) -> Iterator[LeftOut]:
    """What fell out of a turn and its end does not tell; a wish to know which of several does not work is answered by the others."""
    prose = graph.told_in(turn)
    last = prose[-1] if prose else None
    if not turn.calls or (not handed and (last is None or last.seq < turn.calls[-1].seq)):
        return
    for one in fallen_out(graph, turn):
        if tells_of(graph, prose, handed, one):
            continue
        changes = one.ran is not None and one.ran.changes
        if not changes and _asks_which(graph, one.call):
            continue
        sentence = says_all(graph, last, one) if last is not None else ""
        if sentence:
            yield LeftOut(one, "all", sentence)
        elif last is not None and (_praises(graph, last, one) or _beside_what_passed(graph, last, one)):
            yield LeftOut(one, "named", "")
        elif last is not None and lists_others(graph, last, one):
            if not _asks_which(graph, one.call):
                yield LeftOut(one, "others", "")
        elif one.listed and one.ran is not None and one.ran.changes:
            yield LeftOut(one, "silent", "")


def _beside_what_passed(graph: SessionGraph, said: Said, one: FallenOut) -> bool:
    """Whether prose lists a job of a pipeline that did not run in one line with most of those that passed, in any language."""
    if one.ran is None or one.ran.command.check_strength != "state" or one.ran.outcome.failed:
        return False
    own = frozenset(_called(one.name))
    return any(
        mentioned(line, own)
        and 2 * sum(mentioned(line, frozenset(_called(name))) for name in one.well) >= len(one.well)
        for line in graph.prose(said).splitlines()
    )


def _praises(graph: SessionGraph, said: Said, one: FallenOut) -> bool:
    """Whether prose that states success names the one that fell out, of which it says nothing bad."""
    reading = graph.reading(said)
    return mentioned(graph.prose(said), frozenset(_called(one.name))) and any(
        act.act == "claims_success" for act in reading.acts()
    )


def told_apart(graph: SessionGraph, turn: Turn, handed: str) -> frozenset[int]:
    """Positions of the calls of a turn in which names fell out, where its prose tells of each of them."""
    prose = graph.told_in(turn)
    told: dict[int, bool] = {}
    for one in fallen_out(graph, turn):
        told[one.call.seq] = told.get(one.call.seq, True) and tells_of(graph, prose, handed, one)
    return frozenset(seq for seq, all_of in told.items() if all_of)


_WHICH = lazy(
    r"\b(?:which|who|what|where|welche[rsnm]?|wer|wo|quels?|quelles?|lesquel\w+|où|cu[áa]l(?:es)?|qu[ée]|qui[ée]n(?:es)?|d[óo]nde|quais|qual|onde|quali|quale|dove|welke|wie|waar|które|który|gdzie|hangi\w*|vilka|hvilke)\b|(?<!\w)(?:как(?:ие|ой|их)|кто|где|які|хто|де)(?!\w)|哪|どの|どれ|어느|어떤",
    re.IGNORECASE,
)


def _asks_which(graph: SessionGraph, call: Called) -> bool:
    asked = graph.before(call).last(human)
    text = graph.prose(asked)[:2_000] if isinstance(asked, Said) else ""
    return any(_WHICH.search(part) is not None for part in re.findall(r"[^.?？!\n]{3,300}[?？]", text))
