"""Whether an answer rests on its prompt alone, and how a real answer is made to fit another case.

An answer to prefer may say only what stands in the prompt that it answers: whoever learns from a pair otherwise learns
to make things up. Every name, number, path and quoted word of it must stand there, and of a real answer from
elsewhere every word that is not one of the plain words of reporting.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from sessionlens.curate import chat
from sessionlens.curate.rows import ChatMessage, Function, ToolCall
from sessionlens.graph.events import Called
from sessionlens.wording import in_words


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """How a tool of a session takes a command line."""

    tool: str
    """Name of the tool."""
    key: str
    """Argument that holds the line."""
    before: tuple[str, ...] = ()
    """Words before the line, where the argument is a list, such as ``bash -lc``."""
    listed: bool = False
    """Whether the argument is a list."""


def shape(like: Called) -> Shape | None:
    """The shape of a call; ``None`` where the log does not show how the tool takes a command line."""
    if like.line is None:
        return None
    line = like.line.strip()
    for key, value in like.call.arguments().items():
        if isinstance(value, str) and value.strip() == line:
            return Shape(tool=like.call.name, key=key)
        words = isinstance(value, list) and len(value) >= 2 and all(isinstance(word, str) for word in value)
        if words and value[-1].strip() == line:
            return Shape(tool=like.call.name, key=key, before=tuple(value[:-1]), listed=True)
    return None


def call_of(one: Shape, line: str) -> ToolCall:
    """A call of that tool with another command line."""
    value: object = [*one.before, line] if one.listed else line
    spelled = json.dumps({one.key: value}, ensure_ascii=False)
    return ToolCall(id="call_check", function=Function(name=one.tool, arguments=spelled))


# ------------------------------------------------------------------------------------------ what a prompt tells

SPECIFIC = re.compile(
    r"https?://[^\s`\"')]+|[\w./@:-]*\d[\w./@:-]*|(?<![\w.])[~.]?/[\w./-]+|\w+_\w+|\b[a-z]+[A-Z]\w+|[\w-]+\.[a-z]{2,5}\b"
)
"""Words that belong to one case: addresses, numbers, paths, identifiers, file names."""
_QUOTED = re.compile(r"`([^`]+)`|“([^”]+)”")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_MARKS = re.compile(r"[\s\\'\"`]+")
_EDGES = ".,:;-()[]{}<>!?…"
_ENDINGS = ("", "s", "es", "ed", "d", "ing", "ning", "ping", "ly")

_PLAIN = frozenset(
    """
    a about above after again against ago ahead all already also although am an and another any anything are aren't as ask at
    away back be because been before began begin behind being below between both but by call came can can't cannot change check
    checks clear close come command comes complete completion confirm confirmed continue could couldn't cut did didn't do does
    doesn't doing don't done down during each either else end ended enough even ever every exact exit expect fail failed far few
    find finish finished first follow for found from further gave get gets give given gives go goes going gone got had has
    hasn't have haven't having hang happened here hit hold how however i i'll i'm i've if in instead into is isn't it it's its
    itself job just keep kept kill killed know knows known last later latest leave left less let let's like likely limit line
    little log logs long longer look looks made make may maybe me mean means might minute moment more most much must my near
    need needs never new next no non nor not nothing now of off often ok on once one only open operation or other otherwise our
    out outcome output over own part perhaps please point possible probably process quick rather read ready reach reached real
    really reason remain remote report result return returned right run running runs safe said same saw say second see seem
    seems seen send sent service session set several shell should show shown shows since single so some something soon start
    started starting state status step still stop stopped such sure take takes taken tell than that that's the their them then
    there therefore these they thing things think this those though through time timed timeout to told too took toward try
    trying turn under unknown unclear until up us use used using verify very via wait waited waiting want was wasn't way we we'll
    we're we've well went were weren't what when where whether which while who whole why will with within without won't word
    work worked working would wouldn't yet you your
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
"""Plain words of reporting on a command: they name nothing."""
_LOOKING = frozenset(
    """
    active all apps ax cat compose container curl describe df docker exec failed file free grep head http https inspect
    journalctl kubectl list lines logs ls lsof nc netstat ns nohup pager pgrep pid pod pods ps rollout root show since sleep ss ssh
    status sudo systemctl tail tcp test unit wc
    """.split()  # noqa: SIM905
)
"""Words of command lines that only look."""
_OPTION = re.compile(
    r"-{1,2}[A-Za-z][\w-]*(?:=\S*)?|\d{1,4}|/dev/null|[|&;<>]+\S*|%\{\w+\}(?:\\n)?|2>&1|\{\}"
)


class Known:
    """What a prompt tells."""

    def __init__(self, prompt: Iterable[ChatMessage]) -> None:
        """Read the prompt once: its texts, and the arguments of its calls as their tools see them."""
        pieces = []
        for message in prompt:
            pieces.append(chat.text_of([message]))
            for call in message.tool_calls or ():
                pieces += strings(chat.as_object(call.function.arguments))
        text = "\n".join(pieces)
        self._flat = _MARKS.sub("", text).casefold()
        self._text = text.casefold()
        self._words = frozenset(word.casefold() for word in _WORD.findall(text))

    def has(self, text: str) -> bool:
        """Whether a text stands in it; blanks, quotes and escapes do not count, nor the end of a shortened text."""
        return _MARKS.sub("", text).casefold().rstrip("…") in self._flat

    def names(self, text: str) -> bool:
        """Whether everything in a text that belongs to one case stands in the prompt."""
        found = (word.strip(_EDGES) for word in SPECIFIC.findall(text))
        return all(self._number(word) if word[0].isdigit() else self.has(word) for word in found if word)

    def _number(self, word: str) -> bool:
        """Whether what begins with a number stands in it by itself: 34s is not told where 5.34s is."""
        bare = re.escape(_MARKS.sub("", word).casefold().rstrip("…"))
        whole = re.compile(rf"(?<![\d.]){bare}(?!\d)")
        return whole.search(self._text) is not None or whole.search(self._flat) is not None

    def line(self, line: str) -> bool:
        """Whether a command line is made of the prompt's names and of options."""
        words = (word.strip("'\"()`$;,") for word in line.split())
        return all(
            _OPTION.fullmatch(word) or all(self.has(one) for one in SPECIFIC.findall(word)) for word in words
        )

    def quoted(self, text: str) -> bool:
        """Whether every code word and quotation of a text stands in the prompt."""
        spans = (code or quote for code, quote in _QUOTED.findall(text))
        return all(self.has(word.strip(_EDGES)) for span in spans for word in span.split())

    def words(self, text: str, more: frozenset[str] = frozenset()) -> bool:
        """Whether every word of a text stands in the prompt, or is plain; names as in :meth:`names`."""
        return self.names(text) and all(self._plain(word.casefold(), more) for word in _WORD.findall(text))

    def _plain(self, word: str, more: frozenset[str]) -> bool:
        word = word.replace("’", "'")
        stems = {word.removesuffix(ending) for ending in _ENDINGS}
        return len(word) == 1 or any(
            stem in _PLAIN or stem in more or stem in self._words or f"{stem}e" in self._words
            for stem in stems
        )

    def duration(self, ms: float) -> bool:
        """Whether a number of milliseconds can be read in it, in one of the ways that logs write it."""
        seconds = ms / 1000
        spelled = {str(round(ms)), in_words(ms)}
        spelled |= {f"{seconds:g}{unit}" for unit in ("s", "sec", "seconds", "-second")}
        if seconds % 60 == 0:
            spelled |= {f"{seconds / 60:g}{unit}" for unit in ("m", "min", "minute")}
        return any(one is not None and self.has(one) for one in spelled)


def strings(value: object) -> Iterator[str]:
    """Every text within a JSON value, names of members left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


# ------------------------------------------------------------------------------------------ fitting real answers


class Donor(msgspec.Struct, frozen=True, kw_only=True):
    """A real answer that handled a situation well."""

    situation: str
    """Kind of operation."""
    language: str | None
    """Of its session."""
    session: str
    """Its session."""
    step: int
    """Its message."""
    message: ChatMessage
    """The answer."""
    check: str | None
    """The command line of its call; ``None`` where it makes none."""
    target: str
    """Name of the target that it speaks of."""
    host: str | None
    """Its host."""
    line: str
    """First line of the command that was handled."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What a real answer from elsewhere has to fit."""

    target: str
    """Name of the target in question."""
    host: str | None
    """Its host."""
    line: str
    """First line of the command in question."""
    within: tuple[str, ...] = ()
    """Cluster context and namespace of the target: a command that leaves them out asks another one."""
    shape: Shape | None
    """How its session's tool takes a command line; ``None`` where that is not known."""
    handling: bool
    """Whether it is about what did not follow an operation or change: only then another's handling of one fits."""


def fitted(donor: Donor, asked: Asked, known: Known) -> tuple[ChatMessage, bool] | None:
    """A real answer as the answer of another case, and whether anything in it was replaced; ``None`` where it does not fit.

    It fits when nothing in it belongs to its own case alone. A call that it makes is made with the tool, and the
    names of arguments, of the session that it comes to.
    """
    message = donor.message
    if not asked.handling or (message.tool_calls and donor.check is None):
        return None
    if message.tool_calls and (asked.shape is None or (donor.host is None) != (asked.host is None)):
        return None
    names: list[tuple[str, str]] = []
    for mine, theirs in ((donor.host, asked.host), (donor.target, asked.target)):
        if mine and mine != theirs:
            if not theirs:
                return None
            names.append((mine, theirs))
    text = "\n".join(one for one in (message.content, donor.check) if one)
    # Where it does not name its target it speaks of something else, or of nothing in particular.
    if donor.line != asked.line and not (donor.target and _named(text, donor.target)):
        return None
    content = _replaced(message.content, names)
    calls: tuple[ToolCall, ...] | None = None
    if message.tool_calls:
        line = _replaced(donor.check, names) or ""
        if (
            asked.shape is None
            or not known.words(line, _LOOKING)
            or any(one not in line for one in asked.within)
        ):
            return None
        calls = (call_of(asked.shape, line),)
    if content and not known.words(content):
        return None
    adapted = msgspec.structs.replace(message, content=content, tool_calls=calls, reasoning_content=None)
    return adapted, content != message.content or _told(calls) != _told(message.tool_calls)


def _told(calls: Sequence[ToolCall] | None) -> list[tuple[str, str]]:
    return [(call.function.name, call.function.arguments) for call in calls or ()]


def _named(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _replaced(text: str | None, names: Sequence[tuple[str, str]]) -> str | None:
    if text is None:
        return None
    for mine, theirs in names:
        text = re.sub(rf"(?<!\w){re.escape(mine)}(?!\w)", lambda _found, name=theirs: name, text)  # type: ignore[misc]
    return text
